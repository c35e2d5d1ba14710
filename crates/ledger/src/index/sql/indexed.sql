SELECT indexed_seq FROM nodes WHERE node = $1
