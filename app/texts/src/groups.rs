//! Texts about groups of people.

texts! {
    GroupTexts
    words {
        groups: "Groups", "分组";
        group: "Group", "分组";
        lead: "Groups help you choose raters for studies, filter lists and invite people. They grant no permissions.", "分组用于为项目选择评分者、筛选列表和邀请成员，不授予任何权限。";
        none: "No groups yet", "还没有分组";
        none_hint: "Create one, for example for the people of a team or a language.", "可以为一个团队或一种语言的成员创建分组。";
        name: "Name", "名称";
        members: "Members", "成员";
        create: "Create group", "创建分组";
        rename: "Rename", "重命名";
        add: "Add people", "添加成员";
        add_names: "Usernames, one per line or separated by commas", "用户名（每行一个，或用逗号分隔）";
        add_button: "Add to group", "加入分组";
        remove: "Remove", "移除";
        nobody: "Nobody is in this group yet", "分组中还没有成员";
        deactivated: "Deactivated", "已停用";
        delete: "Delete group", "删除分组";
        delete_hint: "The members keep their accounts and their work. Studies do not change, and invitations into the group remain valid.", "成员的账户和评分都会保留，项目不变，邀请链接仍然有效。";
        show_people: "Show in People", "在成员列表中查看";
        no_group: "No group", "不分组";
        any: "All groups", "全部分组";
        choose: "Whole groups", "整组选择";
        choose_hint: "The active members of a selected group rate, too.", "所选分组中启用的成员也参与评分。";
        join: "Add a group", "添加分组";
        join_button: "Add its members", "添加组内成员";
        only_group: "Only group", "仅限分组";
    }
    sentences {
        remove_whom(name: &str) { format!("Remove {name}") } { format!("移除 {name}") }
        members_n(n: u64)
            { if n == 1 { "1 member".into() } else { format!("{n} members") } }
            { format!("{n} 人") }
    }
}
