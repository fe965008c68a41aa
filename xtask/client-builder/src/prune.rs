//! Removes code from the linked client that can never run, before it is split.
//!
//! Leptos generates for every erased view a second way to hydrate, for clients whose code is still loading.
//! Only its `hydrate_lazy` uses it, and we call `hydrate_body`; the linker cannot know that, because the
//! functions are in tables. They are a twentieth of the code that a rater loads.
//!
//! This empties the bodies of `async` functions called `hydrate_async`, recognized by their call of the
//! function that panics when a future is polled after its end. That call names a place in the source, so the
//! compiler has merged none of them with a function that runs. An emptied body keeps its length, so that no
//! other position in the file changes, and loses its relocations, so that the splitter drops code that only
//! it needed.

use std::{collections::BTreeSet, ops::Range};

use anyhow::{Context, Result, bail};
use wasmparser::{
    BinaryReader, CustomSectionReader, Linking, LinkingSectionReader, Parser, Payload, RelocSectionReader,
    RelocationType, SymbolInfo, TypeRef,
};

/// A client without these functions.
///
/// # Errors
///
/// Fails if there are none: Leptos has changed, and this file must be deleted or adapted.
pub fn without_lazy_hydration(linked: &[u8]) -> Result<Vec<u8>> {
    let mut imported = 0_u32;
    let mut code = None;
    let mut bodies: Vec<Range<usize>> = Vec::new();
    let mut symbols: Vec<Option<(u32, String)>> = Vec::new();
    let mut relocations = None;
    for payload in Parser::new(0).parse_all(linked) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    imported += u32::from(matches!(import?.ty, TypeRef::Func(_) | TypeRef::FuncExact(_)));
                }
            }
            Payload::CodeSectionStart { range, .. } => code = Some(usize::try_from(range.start)?),
            Payload::CodeSectionEntry(body) => bodies.push(within(&body.range())?),
            Payload::CustomSection(section) if section.name() == "linking" => symbols = functions(&section)?,
            Payload::CustomSection(section) if section.name() == "reloc.CODE" => {
                relocations = Some((within(&section.range())?, within(&section.data_range())?));
            }
            _ => {}
        }
    }
    let code = code.context("the client has no code")?;
    let (section, data) = relocations.context("the client has no relocations: it is linked without --emit-relocs")?;
    let named = |symbol: u32, part: &str| {
        let symbol = symbols.get(symbol as usize).and_then(Option::as_ref);
        symbol.is_some_and(|(_, name)| name.contains(part))
    };
    let candidates: BTreeSet<(usize, usize)> = (0_u32..)
        .zip(&symbols)
        .filter(|(symbol, _)| named(*symbol, "hydrate_async"))
        .filter_map(|(_, symbol)| {
            let place = symbol.as_ref()?.0.checked_sub(imported)?;
            bodies.get(place as usize).map(|body| (body.start, body.end))
        })
        .collect();
    let reader = RelocSectionReader::new(BinaryReader::new(&linked[data.clone()], data.start as u64))?;
    let mut entries = Vec::new();
    let mut emptied = BTreeSet::new();
    for entry in reader.entries().into_iter_with_offsets() {
        let (from, entry) = entry?;
        let place = code + entry.offset as usize;
        let body = candidates.range(..=(place, usize::MAX)).next_back().copied().filter(|body| place < body.1);
        if let Some(body) = body
            && entry.ty == RelocationType::FunctionIndexLeb
            && named(entry.index, "async_fn_resumed")
        {
            emptied.insert(body);
        }
        entries.push((usize::try_from(from)?, body));
    }
    if emptied.is_empty() {
        bail!(
            "no function of the client hydrates by `hydrate_async`: Leptos has changed; look at client-builder/src/prune.rs"
        );
    }
    let mut pruned = linked.to_vec();
    for (start, end) in &emptied {
        // No local variables, as many `unreachable` as fit, the end.
        pruned[*start..*end].fill(0x00);
        pruned[end - 1] = 0x0b;
    }
    let ends = entries.iter().skip(1).map(|(from, _)| *from).chain([data.end]);
    let kept: Vec<&[u8]> = entries
        .iter()
        .zip(ends)
        .filter(|((_, body), _)| !body.is_some_and(|body| emptied.contains(&body)))
        .map(|((from, _), end)| &linked[*from..end])
        .collect();
    let mut content = Vec::new();
    leb(&mut content, "reloc.CODE".len());
    content.extend(b"reloc.CODE");
    leb(&mut content, reader.section_index() as usize);
    leb(&mut content, kept.len());
    kept.iter().for_each(|entry| content.extend(*entry));
    // The section with its header: id 0 and the length, which may be padded to five bytes.
    let header = header(linked, section.start)?;
    let mut whole = vec![0];
    leb(&mut whole, content.len());
    whole.extend(content);
    pruned.splice(header..section.end, whole);
    Ok(pruned)
}

/// Start of the header of a custom section whose content begins at `content`.
fn header(linked: &[u8], content: usize) -> Result<usize> {
    let length = (1..=5).find(|length| {
        let at = content - length;
        linked.get(at - 1) == Some(&0) && BinaryReader::new(&linked[at..content], 0).read_var_u32().is_ok()
    });
    length.map(|length| content - length - 1).context("a custom section has no header")
}

/// The functions of the symbol table, by symbol number: index and name.
fn functions(section: &CustomSectionReader<'_>) -> Result<Vec<Option<(u32, String)>>> {
    for part in LinkingSectionReader::new(BinaryReader::new(section.data(), section.data_offset()))? {
        if let Linking::SymbolTable(symbols) = part? {
            let read = |symbol| match symbol {
                SymbolInfo::Func { index, name: Some(name), .. } => Some((index, name.to_owned())),
                _ => None,
            };
            return symbols.into_iter().map(|symbol| Ok(read(symbol?))).collect();
        }
    }
    bail!("the client has no table of symbols")
}

fn within(range: &Range<u64>) -> Result<Range<usize>> {
    Ok(usize::try_from(range.start)?..usize::try_from(range.end)?)
}

fn leb(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
