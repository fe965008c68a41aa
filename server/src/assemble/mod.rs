//! From a model's text to a class that can be compiled, with no person in between.
//!
//! Pure but for the clock of its own CPU time: no file, no process. The engine calls [`assemble`] with the text, what the
//! dataset wants ([`Target`]) and the types that exist ([`imports::Index`]). The model's text keeps
//! its lines: everything added stands before its first or after its last line, and what is taken
//! away becomes blank, so that a compiler's line is the model's line plus a constant.
//!
//! What must stay true: every change is recorded; nothing that the model wrote is completed or
//! corrected beyond what a person would do to make it fit the class (imports, wrapping, `static`). The text is
//! hostile, and this runs in the server's own process: every walk through it spends a [`Budget`], and the work grows
//! no faster than the text.

mod budget;
pub mod flags;
pub mod imports;
pub mod seal;
mod text;
mod tree;
pub mod wanted;

use std::collections::BTreeSet;

use app::model::run::{Change, Flag, LimitHit, said};
use tree_sitter::Node;

pub use budget::{Budget, Refusal};
use imports::{Hints, Index};
use text::Edits;

/// What the dataset wants the text to become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The package; empty for none.
    pub package: String,
    /// The class's name.
    pub class: String,
    /// What it extends, with its package.
    pub extends: Option<String>,
    /// What it implements, with its package.
    pub implements: Option<String>,
    /// The names of the methods that tests will call.
    pub methods: Vec<String>,
    /// The signature asked for, to put around a bare body.
    pub signature: Option<String>,
    /// Types that the dataset's own tests import, which decide between types of the same name.
    pub hints: Vec<String>,
}

/// A class ready for the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assembled {
    /// The source.
    pub source: String,
    /// What was done to the text.
    pub changes: Vec<Change>,
    /// What a person should look at.
    pub flags: Vec<Flag>,
    /// Lines put before the text.
    offset: u32,
    /// Lines of the text.
    lines: u32,
}

impl Assembled {
    /// The line of the model's text that this line of the source is; absent for what was added.
    pub fn line(&self, source_line: u32) -> Option<u32> {
        source_line.checked_sub(self.offset).filter(|line| (1..=self.lines).contains(line))
    }
}

/// The most bytes of text that are read. More is not code for one task.
pub const LONGEST: usize = 1 << 20;

impl Refusal {
    /// The reason, in a sentence.
    pub fn reason(self) -> &'static str {
        match self {
            Refusal::TooLong => said::TOO_LONG,
            Refusal::NoCode => said::NO_CODE,
            Refusal::TooDeep => said::TOO_DEEP,
            Refusal::TooMuchCpu => said::PARSER_CPU,
            // Nobody reads the outcome of a run that was stopped.
            Refusal::TooManySteps | Refusal::Cancelled => said::TOO_MANY_STEPS,
        }
    }

    /// The limit that an outcome names.
    pub fn limit(self) -> Option<LimitHit> {
        match self {
            Refusal::TooDeep | Refusal::TooManySteps => Some(LimitHit::Steps),
            Refusal::TooMuchCpu => Some(LimitHit::Cpu),
            Refusal::TooLong | Refusal::NoCode | Refusal::Cancelled => None,
        }
    }
}

/// Makes a class of a model's text.
///
/// # Errors
/// Where there is nothing to make a class of, and where the budget ends it.
pub fn assemble(text: &str, target: &Target, index: &Index, budget: &mut Budget<'_>) -> Result<Assembled, Refusal> {
    if text.len() > LONGEST {
        return Err(Refusal::TooLong);
    }
    let mut changes = Vec::new();
    // One kind of line end, so that everybody counts lines alike; a NUL ends a file for the parser.
    let text = text.replace("\r\n", "\n").replace(['\r', '\0'], " ");
    let text = text::without_fences(&text, &target.methods, &mut changes);
    if text.trim().is_empty() {
        return Err(Refusal::NoCode);
    }
    let lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
    let tree = tree::parse(&text, budget)?;
    let flags = flags::find(&text, tree.root_node(), budget)?;
    let mut made = Making { target, index, text: &text, edits: Edits::default(), changes, imports: Vec::new() };
    let (before, after) = made.fit(tree.root_node(), budget)?;
    made.resolve_imports(tree.root_node(), budget)?;

    let mut head = String::new();
    if !target.package.is_empty() {
        head.push_str(&format!("package {};\n", target.package));
    }
    for import in &made.imports {
        head.push_str(&format!("import {import};\n"));
    }
    head.push_str(&before);
    let offset = u32::try_from(head.lines().count()).unwrap_or(u32::MAX);
    let body = made.edits.apply(&text);
    let source = format!("{head}{}\n{after}", body.trim_end_matches('\n'));
    Ok(Assembled { source, changes: made.changes, flags, offset, lines })
}

/// The work in progress.
struct Making<'a> {
    target: &'a Target,
    index: &'a Index,
    text: &'a str,
    edits: Edits,
    changes: Vec<Change>,
    imports: Vec<String>,
}

impl Making<'_> {
    fn note(&mut self, kind: &str, names: &[&str], detail: impl Into<String>) {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        self.changes.push(Change { kind: kind.into(), detail: detail.into(), names });
    }

    fn of(&self, node: Node<'_>) -> &str {
        &self.text[node.byte_range()]
    }

    /// Fits the text's outermost things to the target; returns what goes before and after it, both
    /// ending in a line break where not empty.
    fn fit(&mut self, root: Node<'_>, budget: &mut Budget<'_>) -> Result<(String, String), Refusal> {
        let mut cursor = root.walk();
        let top: Vec<Node<'_>> = root.named_children(&mut cursor).collect();
        for node in &top {
            if node.kind() == "package_declaration" {
                self.edits.blank(node.byte_range());
                let said = self.of(*node).to_owned();
                self.note("package", &[&said], format!("`{said}` was left out: the dataset says which package it is"));
            }
        }
        let classes: Vec<Node<'_>> = top.iter().copied().filter(|n| tree::is_type(*n)).collect();
        let loose = top.iter().any(|n| n.kind() == "method_declaration");
        if let Some(main) = self.main_class(&classes).filter(|_| !loose) {
            self.fit_class(root, main, &classes, budget)?;
            return Ok((String::new(), String::new()));
        }
        // Imports cannot stand inside the class that goes around.
        for node in top.iter().filter(|n| n.kind() == "import_declaration") {
            self.edits.blank(node.byte_range());
            let import = tree::import_name(self.of(*node));
            self.imports.push(import);
        }
        let opening = format!("public class {}{} {{\n", self.target.class, self.heritage());
        let has_method = tree::any(root, budget, |n| n.kind() == "method_declaration")?;
        if let (false, Some(signature)) = (has_method, &self.target.signature) {
            let text = self.edits.apply(self.text);
            let text = text.trim_start();
            // Cut off in the signature, it is no body; the compiler shall say what is wrong.
            if !text.starts_with("public ") && !text.starts_with("private ") && !text.starts_with("protected ") {
                self.note(
                    "wrap",
                    &[],
                    "the text is a bare body: the task's signature and the class were put around it",
                );
                let signature = signature.trim().trim_end_matches('{').trim_end();
                let (open, close) = if text.starts_with('{') { ("", "") } else { " {}".split_at(2) };
                return Ok((format!("{opening}{signature}{open}\n"), format!("{close}\n}}\n")));
            }
        }
        let class = self.target.class.clone();
        self.note("wrap", &[&class], format!("the class {class} was put around the method"));
        self.fit_methods(&top, budget)?;
        Ok((opening, "}\n".into()))
    }

    fn heritage(&self) -> String {
        let extends = self.target.extends.as_ref().map(|base| format!(" extends {base}"));
        let implements = self.target.implements.as_ref().map(|base| format!(" implements {base}"));
        [extends, implements].into_iter().flatten().collect()
    }

    /// The class that holds a method which the tests call; else the first public one, else the first.
    fn main_class<'t>(&self, classes: &[Node<'t>]) -> Option<Node<'t>> {
        let real: Vec<Node<'t>> = classes.iter().copied().filter(|n| n.kind() == "class_declaration").collect();
        let holds = |class: &&Node<'t>| {
            tree::members(**class).iter().any(|m| self.method_name(*m).is_some_and(|n| self.is_called(n)))
        };
        let public = |class: &&Node<'t>| self.modifiers(**class).contains(&"public");
        real.iter().find(holds).or_else(|| real.iter().find(public)).or(real.first()).copied()
    }

    fn fit_class(
        &mut self,
        root: Node<'_>,
        main: Node<'_>,
        all: &[Node<'_>],
        budget: &mut Budget<'_>,
    ) -> Result<(), Refusal> {
        let Some(name) = main.child_by_field_name("name") else { return Ok(()) };
        let old = self.of(name).to_owned();
        let new = self.target.class.clone();
        if old != new {
            let mut walk = tree::Walk::new(root);
            while let Some(node) = walk.next(budget)? {
                if matches!(node.kind(), "identifier" | "type_identifier") && self.of(node) == old {
                    self.edits.replace(node.byte_range(), new.clone());
                }
            }
            self.note("rename", &[&old, &new], format!("the class {old} is called {new} here"));
        }
        for class in all {
            let public = tree::modifier(*class, self.text, "public");
            match (public, class.id() == main.id()) {
                (None, true) => self.edits.insert(class.start_byte(), "public "),
                (Some(word), false) => {
                    self.edits.blank(word.byte_range());
                    self.note("public", &[], "only one class of a file may be public");
                }
                _ => {}
            }
        }
        if let Some(word) = tree::modifier(main, self.text, "abstract") {
            self.edits.blank(word.byte_range());
            self.note("abstract", &[], "the class must be one that objects can be made of");
        }
        self.fit_heritage(main, name);
        let members = tree::members(main);
        self.fit_methods(&members, budget)?;
        for member in members.iter().filter(|member| member.kind() == "constructor_declaration") {
            self.fit_constructor(*member);
        }
        Ok(())
    }

    fn fit_heritage(&mut self, main: Node<'_>, name: Node<'_>) {
        let after = main.child_by_field_name("type_parameters").unwrap_or(name).end_byte();
        let simple = |full: &str| full.rsplit('.').next().unwrap_or(full).to_owned();
        if let Some(base) = self.target.extends.clone() {
            match main.child_by_field_name("superclass") {
                Some(node) => {
                    let said = self.of(node).trim_start_matches("extends").trim().to_owned();
                    // By its full name in any case: the text's own import may be of another package.
                    self.edits.replace(node.byte_range(), format!("extends {base}"));
                    if simple(&said) != simple(&base) {
                        self.note("extends", &[&base, &said], format!("it extends {base} here, not {said}"));
                    }
                }
                None => {
                    self.edits.insert(after, &format!(" extends {base}"));
                    self.note("extends", &[&base], format!("it extends {base}"));
                }
            }
        }
        if let Some(interface) = self.target.implements.clone() {
            match main.child_by_field_name("interfaces") {
                Some(node) => {
                    let said = self.of(node);
                    let list: Vec<String> =
                        said.trim_start_matches("implements").split(',').map(|s| s.trim().to_owned()).collect();
                    let others: Vec<&String> = list.iter().filter(|s| simple(s) != simple(&interface)).collect();
                    let all: Vec<&str> =
                        std::iter::once(interface.as_str()).chain(others.iter().map(|s| s.as_str())).collect();
                    self.edits.replace(node.byte_range(), format!("implements {}", all.join(", ")));
                }
                None => {
                    let after = main.child_by_field_name("superclass").map_or(after, |node| node.end_byte());
                    self.edits.insert(after, &format!(" implements {interface}"));
                    self.note("implements", &[&interface], format!("it implements {interface}"));
                }
            }
        }
    }

    /// Makes the methods that the tests call what the base class or interface has: public, not static. What calls a
    /// method that is static no longer cannot be static either.
    fn fit_methods(&mut self, members: &[Node<'_>], budget: &mut Budget<'_>) -> Result<(), Refusal> {
        // Names of methods that were static, and who is not static any more for one of these reasons.
        let (mut were_static, mut freed) = (BTreeSet::new(), BTreeSet::new());
        for method in members.iter().filter(|member| member.kind() == "method_declaration") {
            budget.spend(1)?;
            let Some(name) = self.method_name(*method).map(str::to_owned).filter(|name| self.is_called(name)) else {
                continue;
            };
            self.make_public(*method, &name);
            if let Some(word) = tree::modifier(*method, self.text, "static") {
                self.edits.blank(word.byte_range());
                self.note("static", &[&name], format!("{name} was static, and overrides a method of an object"));
                freed.insert(method.id());
                were_static.insert(name);
            }
        }
        if were_static.is_empty() {
            return Ok(());
        }
        for member in members.iter().filter(|member| !freed.contains(&member.id())) {
            let Some(word) = tree::modifier(*member, self.text, "static") else { continue };
            let Some(called) = self.first_call(*member, &were_static, budget)? else { continue };
            self.edits.blank(word.byte_range());
            let name = self.method_name(*member).unwrap_or("a member").to_owned();
            self.note("static", &[&name, &called], format!("{name} was static and calls {called}"));
        }
        Ok(())
    }

    fn make_public(&mut self, method: Node<'_>, name: &str) {
        let narrower = ["private", "protected"].into_iter().find_map(|w| tree::modifier(method, self.text, w));
        match narrower {
            Some(word) => {
                let said = self.of(word).to_owned();
                self.edits.replace(word.byte_range(), "public".into());
                self.note("public", &[name, &said], format!("{name} was {said}, and the tests have to call it"));
            }
            None if tree::modifier(method, self.text, "public").is_none() => {
                self.edits.insert(tree::after_annotations(method), "public ");
            }
            None => {}
        }
    }

    /// The first of these methods that a member calls.
    fn first_call(
        &self,
        member: Node<'_>,
        methods: &BTreeSet<String>,
        budget: &mut Budget<'_>,
    ) -> Result<Option<String>, Refusal> {
        let mut walk = tree::Walk::new(member);
        while let Some(node) = walk.next(budget)? {
            let called = (node.kind() == "method_invocation").then(|| node.child_by_field_name("name")).flatten();
            if let Some(name) = called.map(|name| self.of(name)).filter(|name| methods.contains(*name)) {
                return Ok(Some(name.to_owned()));
            }
        }
        Ok(None)
    }

    /// Tests make objects without arguments: where only other constructors are, nothing is added,
    /// because what the arguments should be is not ours to say; but a private one becomes usable.
    fn fit_constructor(&mut self, constructor: Node<'_>) {
        let empty = constructor.child_by_field_name("parameters").is_some_and(|p| p.named_child_count() == 0);
        if let (true, Some(word)) = (empty, tree::modifier(constructor, self.text, "private")) {
            self.edits.blank(word.byte_range());
            self.note("constructor", &[], "its constructor was private, and the tests have to call it");
        }
    }

    fn method_name(&self, node: Node<'_>) -> Option<&str> {
        (node.kind() == "method_declaration").then(|| node.child_by_field_name("name")).flatten().map(|n| self.of(n))
    }

    fn is_called(&self, method: &str) -> bool {
        self.target.methods.iter().any(|m| m == method)
    }

    fn modifiers(&self, node: Node<'_>) -> Vec<&str> {
        tree::modifier_words(node).into_iter().map(|n| self.of(n)).collect()
    }

    fn resolve_imports(&mut self, root: Node<'_>, budget: &mut Budget<'_>) -> Result<(), Refusal> {
        let needs = imports::needs(root, self.text, budget)?;
        let useless = needs.useless(self.index);
        let names: BTreeSet<&str> = useless.iter().map(|(_, name)| name.as_str()).collect();
        self.imports.retain(|import| !names.contains(import.as_str()));
        for (node, name) in &useless {
            // An import of something that is not there and is not used stops the compiler for nothing.
            self.edits.blank(node.clone());
            self.note(
                "import_left_out",
                &[name],
                format!("`import {name}` was left out: there is no such thing here, and it is not used"),
            );
        }
        let hints = Hints::new(&self.target.hints);
        for name in needs.missing(self.index) {
            budget.spend(1)?;
            if let Some(full) = self.index.choose(&name, &hints) {
                self.note("import", &[&full], format!("import {full}"));
                self.imports.push(full);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
