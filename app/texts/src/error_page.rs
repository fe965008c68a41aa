//! Texts of the error page. Server side only.

use super::I18n;
use model::lang::Lang;

impl I18n {
    pub fn error_page(&self) -> &'static ErrorPage {
        match self.lang {
            Lang::En => &EN,
            Lang::Zh => &ZH,
        }
    }
}

texts! {
    ErrorPage
    words {
        send_again: "Send again", "重新提交";
        send_again_hint: "What you entered may not have been saved, so here it is. Copy it, or send it once more.", "您填写的内容可能尚未保存，现列在下面。您可以复制，或重新提交。";
    }
    sentences {
        score_n(n: usize) { format!("Score {n}") } { format!("第 {n} 项分数") }
    }
}
