//! Turns a model's text into a class that can be compiled, without human help.
//!
//! Pure except for its own CPU clock: no file, no process. The engine calls [`assemble`] with the text, the
//! dataset's requirements ([`Target`]) and the existing types ([`imports::Index`]). The model's text keeps
//! its lines: additions are before its first or after its last line, and removed text becomes blank, so that
//! a compiler's line is the model's line plus a constant.
//!
//! Invariants: every change is recorded; the model's code is completed or corrected only as far as a person would do it
//! to make the code fit the class (imports, wrapping, `static`). The text can be hostile, and this runs in the server's
//! own process: every walk through the text spends a [`Budget`], and the work grows at most linearly with the text.

mod budget;
pub mod flags;
pub mod imports;
pub mod seal;
mod text;
mod tree;
pub mod wanted;

use std::collections::BTreeSet;

use model::{
    reason::{Change, Flag, Reason},
    run::LimitHit,
};
use tree_sitter::Node;

pub use budget::{Budget, Refusal};
use imports::{Hints, Index};
use text::Edits;

/// The dataset's requirements for the class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The package; may be empty.
    pub package: String,
    /// The class's name.
    pub class: String,
    /// The base class, with its package.
    pub extends: Option<String>,
    /// The interface, with its package.
    pub implements: Option<String>,
    /// The names of the methods that tests will call.
    pub methods: Vec<String>,
    /// The requested signature, to wrap around a bare body.
    pub signature: Option<String>,
    /// Types that the dataset's own tests import, which decide between types with the same name.
    pub hints: Vec<String>,
}

/// A class ready for the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assembled {
    /// The source.
    pub source: String,
    /// The changes made to the text.
    pub changes: Vec<Change>,
    /// The warnings about the text.
    pub flags: Vec<Flag>,
    /// Number of lines before the text.
    offset: u32,
    /// Number of lines of the text.
    lines: u32,
}

impl Assembled {
    /// The line of the model's text for this line of the source; `None` for added lines.
    pub fn line(&self, source_line: u32) -> Option<u32> {
        source_line.checked_sub(self.offset).filter(|line| (1..=self.lines).contains(line))
    }
}

/// Maximum length of the text in bytes. A longer text is not code for one task.
pub const LONGEST: usize = 1 << 20;

impl Refusal {
    /// The reason to report in an outcome.
    pub fn reason(self) -> Reason {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        match self {
            Refusal::TooLong => Reason::OutputTooLong { limit_bytes: LONGEST as u64 },
            Refusal::NoCode => Reason::NoCode,
            Refusal::TooDeep => {
                Reason::NestedTooDeep { brackets: number(parsers::DEEPEST), angles: number(parsers::MOST_OPEN) }
            }
            Refusal::TooMuchCpu | Refusal::TooMuchMemory => Reason::ParsingCost,
            // The outcome of a cancelled run is never shown.
            Refusal::TooManySteps | Refusal::Cancelled => Reason::ParsingSteps,
        }
    }

    /// The limit to report in an outcome.
    pub fn limit(self) -> Option<LimitHit> {
        match self {
            Refusal::TooDeep | Refusal::TooManySteps => Some(LimitHit::Steps),
            Refusal::TooMuchCpu => Some(LimitHit::Cpu),
            Refusal::TooMuchMemory => Some(LimitHit::Heap),
            Refusal::TooLong | Refusal::NoCode | Refusal::Cancelled => None,
        }
    }
}

/// Assembles a class from a model's text.
///
/// # Errors
///
/// Fails if the text contains no code, or the budget is used up.
pub fn assemble(text: &str, target: &Target, index: &Index, budget: &mut Budget<'_>) -> Result<Assembled, Refusal> {
    if text.len() > LONGEST {
        return Err(Refusal::TooLong);
    }
    let mut changes = Vec::new();
    // Normalizes line endings, so that all line numbers agree, and replaces NUL, at which the parser would stop.
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

/// An assembly in progress.
struct Making<'a> {
    target: &'a Target,
    index: &'a Index,
    text: &'a str,
    edits: Edits,
    changes: Vec<Change>,
    imports: Vec<String>,
}

impl Making<'_> {
    fn of(&self, node: Node<'_>) -> &str {
        &self.text[node.byte_range()]
    }

    /// Fits the text's outermost declarations to the target. Returns the text before and after it, both
    /// ending in a line break if not empty.
    fn fit(&mut self, root: Node<'_>, budget: &mut Budget<'_>) -> Result<(String, String), Refusal> {
        let mut cursor = root.walk();
        let top: Vec<Node<'_>> = root.named_children(&mut cursor).collect();
        for node in &top {
            if node.kind() == "package_declaration" {
                self.edits.blank(node.byte_range());
                let declaration = self.of(*node).to_owned();
                self.changes.push(Change::Package { declaration });
            }
        }
        let classes: Vec<Node<'_>> = top.iter().copied().filter(|n| tree::is_type(*n)).collect();
        let loose = top.iter().any(|n| n.kind() == "method_declaration");
        if let Some(main) = self.main_class(&classes).filter(|_| !loose) {
            self.fit_class(root, main, &classes, budget)?;
            return Ok((String::new(), String::new()));
        }
        // Imports cannot stay inside the class that is wrapped around them.
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
            // A text that is cut off in the signature is not a body; the compiler will report it.
            if !text.starts_with("public ") && !text.starts_with("private ") && !text.starts_with("protected ") {
                self.changes.push(Change::WrapBody);
                let signature = signature.trim().trim_end_matches('{').trim_end();
                let (open, close) = if text.starts_with('{') { ("", "") } else { " {}".split_at(2) };
                return Ok((format!("{opening}{signature}{open}\n"), format!("{close}\n}}\n")));
            }
        }
        self.changes.push(Change::Wrap { class: self.target.class.clone() });
        self.fit_methods(&top, budget)?;
        Ok((opening, "}\n".into()))
    }

    fn heritage(&self) -> String {
        let extends = self.target.extends.as_ref().map(|base| format!(" extends {base}"));
        let implements = self.target.implements.as_ref().map(|base| format!(" implements {base}"));
        [extends, implements].into_iter().flatten().collect()
    }

    /// The class with a method that the tests call; otherwise the first public class, otherwise the first class.
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
            self.changes.push(Change::Rename { from: old, to: new });
        }
        for class in all {
            let public = tree::modifier(*class, self.text, "public");
            match (public, class.id() == main.id()) {
                (None, true) => self.edits.insert(class.start_byte(), "public "),
                (Some(word), false) => {
                    self.edits.blank(word.byte_range());
                    self.changes.push(Change::OnePublicClass);
                }
                _ => {}
            }
        }
        if let Some(word) = tree::modifier(main, self.text, "abstract") {
            self.edits.blank(word.byte_range());
            self.changes.push(Change::Abstract);
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
                    let declared = self.of(node).trim_start_matches("extends").trim().to_owned();
                    // By its full name, because the text's own import can be from another package.
                    self.edits.replace(node.byte_range(), format!("extends {base}"));
                    if simple(&declared) != simple(&base) {
                        self.changes.push(Change::Extends { base, was: Some(declared) });
                    }
                }
                None => {
                    self.edits.insert(after, &format!(" extends {base}"));
                    self.changes.push(Change::Extends { base, was: None });
                }
            }
        }
        if let Some(interface) = self.target.implements.clone() {
            match main.child_by_field_name("interfaces") {
                Some(node) => {
                    let declared = self.of(node);
                    let list: Vec<String> =
                        declared.trim_start_matches("implements").split(',').map(|s| s.trim().to_owned()).collect();
                    let others: Vec<&String> = list.iter().filter(|s| simple(s) != simple(&interface)).collect();
                    let all: Vec<&str> =
                        std::iter::once(interface.as_str()).chain(others.iter().map(|s| s.as_str())).collect();
                    self.edits.replace(node.byte_range(), format!("implements {}", all.join(", ")));
                }
                None => {
                    let after = main.child_by_field_name("superclass").map_or(after, |node| node.end_byte());
                    self.edits.insert(after, &format!(" implements {interface}"));
                    self.changes.push(Change::Implements { interface });
                }
            }
        }
    }

    /// Gives the methods that the tests call the modifiers of the base class or interface: public, not
    /// static. Static methods that call a method made non-static become non-static, too.
    fn fit_methods(&mut self, members: &[Node<'_>], budget: &mut Budget<'_>) -> Result<(), Refusal> {
        // Names of methods that were static, and IDs of those that no longer are.
        let (mut were_static, mut freed) = (BTreeSet::new(), BTreeSet::new());
        for method in members.iter().filter(|member| member.kind() == "method_declaration") {
            budget.spend(1)?;
            let Some(name) = self.method_name(*method).map(str::to_owned).filter(|name| self.is_called(name)) else {
                continue;
            };
            self.make_public(*method, &name);
            if let Some(word) = tree::modifier(*method, self.text, "static") {
                self.edits.blank(word.byte_range());
                self.changes.push(Change::Static { method: name.clone() });
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
            let member = self.method_name(*member).map(str::to_owned);
            self.changes.push(Change::StaticCaller { member, calls: called });
        }
        Ok(())
    }

    fn make_public(&mut self, method: Node<'_>, name: &str) {
        let was = self.narrower(method).map(|word| self.of(word).to_owned());
        self.publish(method);
        if let Some(was) = was {
            self.changes.push(Change::Public { method: name.to_owned(), was });
        }
    }

    fn narrower<'t>(&self, member: Node<'t>) -> Option<Node<'t>> {
        ["private", "protected"].into_iter().find_map(|word| tree::modifier(member, self.text, word))
    }

    /// Makes a member public. Returns whether it was not.
    fn publish(&mut self, member: Node<'_>) -> bool {
        match self.narrower(member) {
            Some(word) => self.edits.replace(word.byte_range(), "public".into()),
            None if tree::modifier(member, self.text, "public").is_some() => return false,
            None => self.edits.insert(tree::after_annotations(member), "public "),
        }
        true
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

    /// Tests create objects without arguments, from another package: such a constructor becomes public. If a class has only
    /// other constructors, nothing is added, because we cannot guess the arguments. What a constructor does stays: one that
    /// throws fails every case, as it does in the published evaluator.
    fn fit_constructor(&mut self, constructor: Node<'_>) {
        let Some(parameters) = constructor.child_by_field_name("parameters") else { return };
        let mut cursor = parameters.walk();
        let empty = parameters.named_children(&mut cursor).all(|node| node.is_extra());
        if empty && self.publish(constructor) {
            self.changes.push(Change::Constructor);
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
            // An unused import of a missing type would needlessly stop the compiler.
            self.edits.blank(node.clone());
            self.changes.push(Change::ImportLeftOut { name: name.clone() });
        }
        let hints = Hints::new(&self.target.hints);
        for name in needs.missing(self.index) {
            budget.spend(1)?;
            if let Some(full) = self.index.choose(&name, &hints) {
                self.changes.push(Change::Import { name: full.clone() });
                self.imports.push(full);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
