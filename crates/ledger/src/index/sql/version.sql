SELECT version FROM rule_version
