//! What images, documents and sound cost: by Anthropic's rule for images, by their size for the rest.

use crate::form::{Media, MediaKind, MediaSource};

/// One token for so many points of an image.
const POINTS_PER_TOKEN: u64 = 750;
/// Larger images are made smaller before the model sees them: its longer side has so many points.
const LONGEST_SIDE: u64 = 1568;
/// The most that an image costs.
const MOST_IMAGE_TOKENS: u64 = 1600;
/// A page of a document is read as text and as an image.
const PAGE_TOKENS: u64 = 2250;
/// About so many bytes are a page of a PDF.
const PAGE_BYTES: u64 = 60_000;
/// About so many bytes of sound are a token: ten tokens and 16 kB a second.
const SOUND_BYTES: u64 = 1600;
/// What is said of media that are elsewhere.
const UNKNOWN_TOKENS: u64 = 1500;
/// How much of an image is looked at to find its size.
const HEAD_BYTES: usize = 256 * 1024;

/// What media cost. Texts are counted as they are told.
pub(super) fn count(media: &Media, text: impl Fn(&str) -> u64) -> u64 {
    match (media.kind, &media.source) {
        (_, MediaSource::Text(words)) => text(words),
        (MediaKind::Image, MediaSource::Base64 { data, .. }) => {
            size(data).map_or(MOST_IMAGE_TOKENS, |(width, height)| image(width, height))
        }
        _ => estimate(media),
    }
}

/// About what media cost, by lengths alone.
pub(super) fn estimate(media: &Media) -> u64 {
    match (media.kind, &media.source) {
        (_, MediaSource::Text(text)) => (text.len() as u64).div_ceil(4),
        (_, MediaSource::Url(_) | MediaSource::File { .. }) => UNKNOWN_TOKENS,
        (MediaKind::Image, MediaSource::Base64 { .. }) => UNKNOWN_TOKENS,
        (MediaKind::Document, MediaSource::Base64 { data, .. }) => {
            (data.len() as u64 / 4 * 3).div_ceil(PAGE_BYTES).max(1) * PAGE_TOKENS
        }
        (MediaKind::Audio, MediaSource::Base64 { data, .. }) => {
            (data.len() as u64 / 4 * 3).div_ceil(SOUND_BYTES).max(1)
        }
    }
}

/// What an image of this size costs.
fn image(width: u64, height: u64) -> u64 {
    // No format has sides that need more.
    let (width, height) = (width.min(u64::from(u32::MAX)), height.min(u64::from(u32::MAX)));
    let longer = width.max(height).max(LONGEST_SIDE);
    let fit = |side: u64| (side * LONGEST_SIDE / longer).max(1);
    (fit(width) * fit(height)).div_ceil(POINTS_PER_TOKEN).min(MOST_IMAGE_TOKENS)
}

/// Width and height of a PNG, JPEG, GIF or WebP.
fn size(base64: &str) -> Option<(u64, u64)> {
    let little = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
    let head = decoded(base64, 32);
    match head.as_slice() {
        [0x89, b'P', b'N', b'G', ..] => Some((big(head.get(16..20)?), big(head.get(20..24)?))),
        [b'G', b'I', b'F', ..] => Some((little(head.get(6..8)?), little(head.get(8..10)?))),
        [0xFF, 0xD8, ..] => jpeg(&decoded(base64, HEAD_BYTES)),
        [b'R', b'I', b'F', b'F', ..] if head.get(8..12)? == b"WEBP" => match head.get(12..16)? {
            b"VP8X" => Some((little(head.get(24..27)?) + 1, little(head.get(27..30)?) + 1)),
            b"VP8L" => {
                let bits = little(head.get(21..25)?);
                Some(((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1))
            }
            b"VP8 " => Some((little(head.get(26..28)?) & 0x3FFF, little(head.get(28..30)?) & 0x3FFF)),
            _ => None,
        },
        _ => None,
    }
    .filter(|(width, height)| *width > 0 && *height > 0)
}

fn big(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The size is in the first frame's header, after segments that each tell their length.
fn jpeg(bytes: &[u8]) -> Option<(u64, u64)> {
    let mut at = 2;
    loop {
        if *bytes.get(at)? != 0xFF {
            return None;
        }
        match *bytes.get(at + 1)? {
            0xFF => at += 1,
            0x01 | 0xD0..=0xD8 => at += 2,
            0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => {
                return Some((big(bytes.get(at + 7..at + 9)?), big(bytes.get(at + 5..at + 7)?)));
            }
            _ => at += 2 + usize::try_from(big(bytes.get(at + 2..at + 4)?)).ok()?.max(2),
        }
    }
}

/// The first bytes of base64, up to what is none. White space is stepped over.
fn decoded(base64: &str, most: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(most.min(base64.len()));
    let (mut bits, mut count) = (0_u32, 0);
    for byte in base64.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b' ' | b'\n' | b'\r' | b'\t' => continue,
            _ => break,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count & 0xFF) as u8);
            if out.len() >= most {
                break;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn encoded(bytes: &[u8]) -> String {
        const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let letters = bytes.chunks(3).flat_map(|chunk| {
            let bits = chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
                << (8 * (3 - chunk.len()));
            (0..=chunk.len()).map(move |at| char::from(LETTERS[(bits >> (18 - 6 * at) & 63) as usize]))
        });
        letters.collect()
    }

    fn png(width: u32, height: u32) -> String {
        let head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        encoded(&[&head[..], &width.to_be_bytes(), &height.to_be_bytes(), &[8, 6, 0, 0, 0]].concat())
    }

    #[test]
    fn the_size_of_an_image_is_in_its_first_bytes() {
        assert_eq!(size(&png(640, 480)), Some((640, 480)));
        assert_eq!(size(&encoded(b"GIF89a\x80\x02\xe0\x01\0\0\0")), Some((640, 480)));
        let app = [&[0xFF, 0xE0, 0, 6][..], b"JFIF"].concat();
        let frame = [0xFF, 0xC2, 0, 17, 8, 0x01, 0xE0, 0x02, 0x80, 3];
        let jpeg = [&[0xFF, 0xD8][..], &app, &[0xFF, 0xFF, 0xDB, 0, 3, 9], &frame].concat();
        assert_eq!(size(&encoded(&jpeg)), Some((640, 480)));
        let webp =
            |kind: &[u8], rest: &[u8]| encoded(&[b"RIFF\0\0\0\0WEBP", kind, b"\0\0\0\0", rest].concat());
        assert_eq!(size(&webp(b"VP8X", &[0, 0, 0, 0, 0x7F, 2, 0, 0xDF, 1, 0])), Some((640, 480)));
        let lossless = (639_u32 | 479 << 14).to_le_bytes();
        assert_eq!(size(&webp(b"VP8L", &[&[0x2F][..], &lossless].concat())), Some((640, 480)));
        let lossy = [&[0, 0, 0, 0x9D, 0x01, 0x2A][..], &[0x80, 2, 0xE0, 1]].concat();
        assert_eq!(size(&webp(b"VP8 ", &lossy)), Some((640, 480)));
    }

    #[test]
    fn an_image_costs_by_its_points_and_never_more_than_the_most() {
        assert_eq!(image(200, 200), 54);
        assert_eq!(image(1000, 1000), 1334);
        assert_eq!(image(1092, 1092), 1590);
        assert_eq!(image(8000, 8000), 1600);
        assert_eq!(image(15_680, 10), 3, "made smaller before it is seen");
        assert_eq!(image(u64::MAX, 1), 3);
        assert_eq!(image(1, 1), 1);
    }

    #[test]
    fn what_cannot_be_read_costs_the_most_and_documents_by_their_size() {
        let media = |kind, data: &str| Media {
            kind,
            source: MediaSource::Base64 { media_type: String::new(), data: data.to_owned() },
            name: None,
            extra: Vec::new(),
        };
        let cost = |media: &Media| count(media, |text| text.len() as u64);
        for data in ["", "!!!", "iVBORw0KGgo=", "AAAA"] {
            assert_eq!(cost(&media(MediaKind::Image, data)), MOST_IMAGE_TOKENS, "{data}");
        }
        assert_eq!(cost(&media(MediaKind::Image, &png(750, 100))), 100);
        assert_eq!(cost(&media(MediaKind::Document, "")), PAGE_TOKENS);
        assert_eq!(cost(&media(MediaKind::Document, &"A".repeat(400_000))), 5 * PAGE_TOKENS);
        let text = Media { source: MediaSource::Text("words".to_owned()), ..media(MediaKind::Document, "") };
        assert_eq!(cost(&text), 5);
        let elsewhere =
            Media { source: MediaSource::Url("https://x".to_owned()), ..media(MediaKind::Image, "") };
        assert_eq!(cost(&elsewhere), UNKNOWN_TOKENS);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_fall(bytes in proptest::collection::vec(any::<u8>(), 0..64), start in 0..4_usize) {
            let start: &[u8] = [&b"\x89PNG"[..], b"\xFF\xD8", b"RIFF\0\0\0\0WEBPVP8X", b"GIF"][start];
            let text = encoded(&[start, &bytes].concat());
            let _ = size(&text);
            prop_assert_eq!(decoded(&text, 1000), [start, &bytes].concat());
        }
    }
}
