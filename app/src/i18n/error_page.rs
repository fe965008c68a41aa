//! Texts of the error page. Server side only.

use super::I18n;
use crate::model::lang::Lang;

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
        send_again_hint: "What you entered has not been saved. This button sends it once more.", "您填写的内容尚未保存。点击此按钮可重新提交。";
    }
    sentences {}
}
