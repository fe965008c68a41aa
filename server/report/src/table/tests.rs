use std::fs::File;

use ::parquet::{
    file::reader::{FileReader, SerializedFileReader},
    record::{Field, List, Row},
};
use proptest::prelude::*;

use super::*;

const NOTE: Type = Type::List(&[("line", Type::Integer), ("text", Type::Text)]);

fn columns() -> Vec<Column> {
    vec![
        Column::new("id", Type::Integer, ""),
        Column::optional("text", Type::Text, ""),
        Column::optional("share", Type::Number, ""),
        Column::new("is_new", Type::Boolean, ""),
        Column::optional("at", Type::Time, ""),
        Column::optional("flag", Type::Json, ""),
        Column::optional("notes", NOTE, ""),
        Column::grouped("first".into(), ("scores", "first"), Type::Integer, String::new()),
        Column::grouped("second".into(), ("scores", "second"), Type::Integer, String::new()),
    ]
}

fn written(form: Form, lines: &[Vec<Cell<'_>>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut table = Table::new(form, columns(), &mut bytes).unwrap();
    for line in lines {
        table.line(line).unwrap();
    }
    table.finish().unwrap();
    bytes
}

fn json(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn line<'a>(text: Option<&'a str>, flag: Option<&'a RawValue>, notes: Option<&'a RawValue>) -> Vec<Cell<'a>> {
    vec![
        Cell::from(-7_i64),
        text.into(),
        Some(0.25).into(),
        true.into(),
        Some(Timestamp(1_790_000_000_123)).into(),
        flag.into(),
        notes.into(),
        Some(4_u32).into(),
        Cell::Empty,
    ]
}

#[test]
fn three_forms_have_the_same_lines() {
    let (flag, notes) = (json(r#"{"other":"Two readings."}"#), json(r#"[{"line":3,"text":"=why?"}]"#));
    let lines = [line(Some("=1+1"), Some(&flag), Some(&notes)), line(None, None, None)];
    let text = |form| String::from_utf8(written(form, &lines)).unwrap();
    assert_eq!(
        text(Form::Csv),
        "id,text,share,is_new,at,flag,notes,first,second\n\
         -7,'=1+1,0.25,true,2026-09-21T14:13:20Z,\"{\"\"other\"\":\"\"Two readings.\"\"}\",\
         \"[{\"\"line\"\":3,\"\"text\"\":\"\"=why?\"\"}]\",4,\n\
         -7,,0.25,true,2026-09-21T14:13:20Z,,,4,\n"
    );
    assert_eq!(
        text(Form::JsonLines),
        "{\"id\":-7,\"text\":\"=1+1\",\"share\":0.25,\"is_new\":true,\"at\":\"2026-09-21T14:13:20Z\",\
         \"flag\":{\"other\":\"Two readings.\"},\"notes\":[{\"line\":3,\"text\":\"=why?\"}],\
         \"scores\":{\"first\":4,\"second\":null}}\n\
         {\"id\":-7,\"text\":null,\"share\":0.25,\"is_new\":true,\"at\":\"2026-09-21T14:13:20Z\",\"flag\":null,\
         \"notes\":null,\"scores\":{\"first\":4,\"second\":null}}\n"
    );
    let rows = read(written(Form::Parquet, &lines));
    assert_eq!(rows.len(), 2);
    assert_eq!(
        rows[0].to_string(),
        "{id: -7, text: \"=1+1\", share: 0.25, is_new: true, at: 2026-09-21 14:13:20.123 +00:00, \
         flag: \"{\"other\":\"Two readings.\"}\", notes: [{line: 3, text: \"=why?\"}], first: 4, second: null}"
    );
}

fn reader(bytes: &[u8]) -> SerializedFileReader<File> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    SerializedFileReader::new(file).unwrap()
}

fn read(bytes: Vec<u8>) -> Vec<Row> {
    reader(&bytes).get_row_iter(None).unwrap().collect::<Result<_, _>>().unwrap()
}

/// A line and a text.
type Note = (i64, String);

/// A row's text, flag and notes.
fn values(row: &Row) -> (Option<String>, Option<String>, Option<Vec<Note>>) {
    let text = |name: &str| match row.get_column_iter().find(|(known, _)| *known == name).unwrap().1 {
        Field::Null => None,
        Field::Str(text) => Some(text.clone()),
        other => panic!("{other:?}"),
    };
    let note = |field: &Field| match field {
        Field::Group(note) => {
            let fields: Vec<&Field> = note.get_column_iter().map(|(_, field)| field).collect();
            match fields[..] {
                [Field::Long(line), Field::Str(text)] => (*line, text.clone()),
                _ => panic!("{fields:?}"),
            }
        }
        other => panic!("{other:?}"),
    };
    let notes = match row.get_column_iter().find(|(name, _)| *name == "notes").unwrap().1 {
        Field::Null => None,
        Field::ListInternal(list) => Some(List::elements(list).iter().map(note).collect()),
        other => panic!("{other:?}"),
    };
    (text("text"), text("flag"), notes)
}

#[test]
fn a_table_without_lines_has_its_columns() {
    assert_eq!(written(Form::Csv, &[]), b"id,text,share,is_new,at,flag,notes,first,second\n");
    assert_eq!(written(Form::JsonLines, &[]), b"");
    let reader = reader(&written(Form::Parquet, &[]));
    let schema = reader.metadata().file_metadata().schema_descr().num_columns();
    // A list's fields are columns of their own in the schema.
    assert_eq!((reader.metadata().file_metadata().num_rows(), schema), (0, 10));
}

#[test]
fn long_tables_have_several_row_groups() {
    let text = "x".repeat(1 << 20);
    let lines: Vec<_> = (0..40).map(|_| line(Some(&text), None, None)).collect();
    let bytes = written(Form::Parquet, &lines);
    let reader = reader(&bytes);
    let groups = reader.metadata().row_groups().iter().map(|group| group.num_rows()).collect::<Vec<_>>();
    assert_eq!(groups, [16, 16, 8]);
    assert!(read(bytes).iter().all(|row| values(row).0.is_some_and(|known| known == text)));
}

#[test]
fn cells_of_another_type_are_refused() {
    let (list, object) = (json("[1]"), json("{}"));
    let wrong: [(usize, Cell<'_>); 5] =
        [(0, Cell::Empty), (0, "7".into()), (2, Cell::Integer(1)), (6, Cell::Json(&list)), (6, Cell::Json(&object))];
    for (at, cell) in wrong {
        let mut cells = line(None, None, None);
        cells[at] = cell.clone();
        let mut bytes = Vec::new();
        let mut table = Table::new(Form::Parquet, columns(), &mut bytes).unwrap();
        assert!(table.line(&cells).is_err(), "{at}: {cell:?}");
    }
    let mut bytes = Vec::new();
    let mut table = Table::new(Form::Parquet, columns(), &mut bytes).unwrap();
    assert!(table.line(&line(None, None, None)[1..]).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn parquet_returns_what_was_written(
        given in prop::collection::vec(
            (
                prop::option::of(any::<String>()),
                prop::option::of(".{0,20}"),
                prop::option::of(prop::collection::vec((any::<i64>(), any::<String>()), 0..4)),
            ),
            0..30,
        ),
    ) {
        let raw: Vec<[Option<Box<RawValue>>; 2]> = given
            .iter()
            .map(|(_, flag, notes)| {
                let note = |(line, text): &Note| serde_json::json!({"line": line, "text": text});
                let flag = flag.as_ref().map(|flag| json(&serde_json::json!({"other": flag}).to_string()));
                let notes: Option<Vec<_>> = notes.as_ref().map(|notes| notes.iter().map(note).collect());
                [flag, notes.map(|notes| json(&serde_json::Value::from(notes).to_string()))]
            })
            .collect();
        let lines: Vec<_> = given
            .iter()
            .zip(&raw)
            .map(|((text, ..), [flag, notes])| line(text.as_deref(), flag.as_deref(), notes.as_deref()))
            .collect();
        let rows = read(written(Form::Parquet, &lines));
        prop_assert_eq!(rows.len(), given.len());
        for (row, ((text, _, notes), [flag, _])) in rows.iter().zip(given.iter().zip(&raw)) {
            let (known_text, known_flag, known_notes) = values(row);
            prop_assert_eq!(&known_text, text);
            prop_assert_eq!(known_flag.as_deref(), flag.as_deref().map(RawValue::get));
            prop_assert_eq!(&known_notes, notes);
        }
    }
}
