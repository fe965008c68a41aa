//! How a study's work is shared: each text with both its languages side by side.

#![allow(missing_docs, reason = "each field's English text, below, says what it is for")]

macro_rules! texts {
    (
        words { $($word:ident: $word_en:literal, $word_zh:literal;)* }
        sentences { $($name:ident($($arg:ident: $kind:ty),*) $en:block $zh:block)* }
    ) => {
        /// The texts about plans.
        pub struct PlanTexts {
            $(pub $word: &'static str,)*
            $(pub $name: fn($($kind),*) -> String,)*
        }
        /// English.
        pub const EN: PlanTexts = PlanTexts { $($word: $word_en,)* $($name: |$($arg: $kind),*| $en,)* };
        /// Chinese.
        pub const ZH: PlanTexts = PlanTexts { $($word: $word_zh,)* $($name: |$($arg: $kind),*| $zh,)* };
    };
}

texts! {
    words {
        draft: "Draft", "草稿";
    }
    sentences {
    }
}
