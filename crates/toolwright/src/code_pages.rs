//! The pages of the codes, as they stand in `docs/codes`.

use toolwright_model::Code;

macro_rules! pages {
    ($($code:ident)+) => {
        /// The page of a code.
        pub fn page(code: Code) -> &'static str {
            match code {
                $(Code::$code => include_str!(concat!("../../../docs/codes/", stringify!($code), ".md")),)+
            }
        }
    };
}

pages!(
    S1 S2 S3 F1 F2 E1 E2 N1 N2 N3 N4 N5 T1 T2 T3 T4 T5 V1 V2 D1 D2 X1 R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12
);
