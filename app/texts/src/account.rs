//! Texts about logging in, invitations and accounts.

texts! {
    Account
    words {
        log_in_title: "Log in", "登录";
        log_in_lead: "AixGrade lets people rate code that models wrote.", "AixGrade：由人评价模型生成的代码。";
        name: "Username", "用户名";
        name_hint: "1 to 40 letters, digits, \"-\", \"_\" or \".\"", "1 到 40 个字符，可用文字、数字、“-”、“_”和“.”";
        password: "Password", "密码";
        password_hint: "At least 10 characters. A few unrelated words are easy to remember and hard to guess.", "至少 10 个字符。几个互不相关的词既好记又难猜。";
        log_in_wrong: "Incorrect username or password.", "用户名或密码不正确。";
        log_in_disabled: "This account is deactivated. Ask an admin to activate it.", "此账户已停用，请联系管理员重新启用。";
        no_account: "No account yet? Ask an admin for an invitation link.", "还没有账户？请向管理员索取邀请链接。";

        join_title: "Join AixGrade", "加入 AixGrade";
        join_lead_rater: "You have been invited to rate code that models wrote. Choose a username and a password to get started.", "您已受邀为模型生成的代码评分。设置用户名和密码后即可开始。";
        join_lead_admin: "You have been invited as an admin. Choose a username and a password to get started.", "您已受邀担任管理员。设置用户名和密码后即可开始。";
        reads: "Languages that you read", "您能阅读的语言";
        reads_hint: "Tasks are described in these languages. An admin can change your choice.", "任务描述使用这些语言。之后可由管理员更改。";
        join_button: "Create account", "创建账户";
        reset_title: "Choose a new password", "设置新密码";
        new_password_lead: "This is a temporary password. Choose your own to continue.", "这是临时密码。请设置自己的密码，然后继续。";
        new_password_button: "Set password and continue", "设置密码并继续";
        password_same: "This is your present password. Choose another.", "这是当前密码，请换一个。";
        sso_title: "Single sign-on", "单点登录";
        sso_link_lead: "Link your account at the identity provider to log in without this password. You log in there once now.", "关联您在身份提供方的账户后，即可不用此密码登录。现在需要在那里登录一次。";
        sso_linked_lead: "Your account is linked. You can log in with the provider or with your password.", "您的账户已关联，可通过身份提供方或密码登录。";
        sso_unlink: "Remove the link", "取消关联";
        sso_unlink_hint: "Without the link you log in with your password only. If you have none, ask an admin for a link to choose one.", "取消关联后只能用密码登录。如果您没有密码，请先向管理员索取设置密码的链接。";
        sso_done: "Your account is linked.", "账户已关联。";
        sso_unlinked: "The link has been removed.", "关联已取消。";
        sso_or: "or", "或";
        sso_state: "This login was not started in this browser, or it took longer than ten minutes. Try again.", "此登录不是从本浏览器发起的，或已超过十分钟。请重试。";
        sso_denied: "The identity provider did not log you in. Try again, or ask its administrator.", "身份提供方未让您登录。请重试，或联系其管理员。";
        sso_provider: "The identity provider cannot be reached or does not work. Try again later, or ask an admin.", "无法连接身份提供方，或其工作异常。请稍后重试，或联系管理员。";
        sso_token: "The identity provider's answer cannot be trusted, so you are not logged in. Ask an admin.", "身份提供方的应答不可信，因此未能登录。请联系管理员。";
        sso_domain: "Your account at the identity provider may not log in here: its email address is not verified or belongs to another organization.", "您在身份提供方的账户不能在此登录：其邮箱未经验证，或属于其他组织。";
        sso_unknown: "No account here is linked to yours at the identity provider. If you have an account, log in with your password and link it on the Account page. Otherwise ask an admin for an invitation link.", "此处没有与您的身份提供方账户关联的账户。如果您已有账户，请用密码登录并在“账户”页面关联；否则请向管理员索取邀请链接。";
        sso_taken: "This account at the identity provider is linked to another account here.", "该身份提供方账户已关联到此处的另一个账户。";
        reset_button: "Set password and log in", "设置密码并登录";
        reset_gone: "This link is no longer valid", "此链接已失效";
        reset_gone_hint: "It has been used or replaced, or it has expired. Ask an admin for a new one.", "该链接已被使用、已被替换或已过期，请向管理员索取新的链接。";
        join_gone: "This invitation is no longer valid", "此邀请已失效";
        join_gone_hint: "It has been used or revoked, or it has expired. Ask the sender for a new one. If you already have an account, log in.", "该邀请已被使用、已被撤销或已过期，请向发送者索取新的邀请。如果您已有账户，请直接登录。";
        name_taken: "This username is taken. Choose another.", "这个用户名已被占用，请换一个。";
        name_bad: "A username has 1 to 40 letters, digits, \"-\", \"_\" or \".\", and no spaces.", "用户名为 1 到 40 个字符，可用文字、数字、“-”、“_”和“.”，不含空格。";
        password_bad: "A password has at least 10 characters and at most 1,024 bytes.", "密码至少 10 个字符，至多 1,024 字节。";

        account_title: "Account", "账户";
        account_name: "Username", "用户名";
        account_role: "Role", "角色";
        role_admin: "Admin", "管理员";
        role_rater: "Rater", "评分者";
        language_title: "Language", "语言";
        language_lead: "The language of the interface and of the rubric. Descriptions are shown in their original language.", "界面与评分标准所用的语言。任务描述保持其原文。";
        display_title: "Display", "显示";
        display_lead: "These settings apply on all your devices.", "这些设置在您的所有设备上生效。";
        display_done: "Your display settings have been saved.", "显示设置已保存。";
        display_button: "Save display settings", "保存显示设置";
        theme: "Theme", "主题";
        theme_system: "Same as the device", "跟随设备";
        theme_light: "Light", "浅色";
        theme_dark: "Dark", "深色";
        text_size: "Text size", "文字大小";
        text_small: "Small", "小";
        text_normal: "Normal", "标准";
        text_large: "Large", "大";
        text_largest: "Largest", "特大";
        density: "Spacing", "间距";
        density_comfortable: "Comfortable", "宽松";
        density_compact: "Compact", "紧凑";
        wrap: "Long lines of code", "较长的代码行";
        wrap_scroll: "Scroll horizontally", "横向滚动";
        wrap_wrap: "Wrap", "自动换行";
        zone: "Time zone", "时区";
        zone_hint: "Times on pages are in this time zone. Exported files use UTC.", "页面上的时间按此时区显示，导出的文件使用 UTC。";
        zone_here: "Use this device's time zone", "使用此设备的时区";
        mail_title: "Email notices", "邮件通知";
        mail_lead: "Choose which notices you get by email.", "选择您要通过邮件接收的通知。";
        mail_link: "Choose email notices", "设置邮件通知";
        password_title: "Password", "密码";
        password_lead: "Changing your password logs you out on all other devices.", "修改密码后，其他设备上的登录将全部失效。";
        password_current: "Current password", "当前密码";
        password_new: "New password", "新密码";
        password_button: "Change password", "修改密码";
        password_done: "Your password has been changed.", "密码已修改。";
        password_wrong: "The current password is incorrect.", "当前密码不正确。";
    }
    sentences {
        reset_lead(name: &str)
            { format!("The new password is for the account {name}. All its sessions will end.") }
            { format!("为账户 {name} 设置新密码，该账户的所有登录都将失效。") }
        sso_log_in(name: &str) { format!("Log in with {name}") } { format!("使用 {name} 登录") }
        sso_join(name: &str) { format!("Create account with {name}") } { format!("使用 {name} 创建账户") }
        sso_link(name: &str) { format!("Link {name}") } { format!("关联 {name}") }
        join_study(title: &str)
            { format!("You will take part in the study “{title}”.") }
            { format!("您将参与评分项目“{title}”。") }
        join_until(time: &str)
            { format!("This invitation can be used once and expires on {time}.") }
            { format!("此邀请只能使用一次，有效期至 {time}。") }
    }
}

impl Account {
    /// Why single sign-on did not work, by the reason in the address.
    pub fn sso_error(&self, why: &str) -> &'static str {
        match why {
            "denied" => self.sso_denied,
            "provider" => self.sso_provider,
            "token" => self.sso_token,
            "domain" => self.sso_domain,
            "unknown" => self.sso_unknown,
            "taken" => self.sso_taken,
            "gone" => self.join_gone_hint,
            "disabled" => self.log_in_disabled,
            _ => self.sso_state,
        }
    }
}
