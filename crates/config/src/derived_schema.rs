//! JSON Schema of keys, from the structs that declare them, for editors.

use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

/// Returns the schema of a type without references.
pub fn schema_of<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft07();
    settings.inline_subschemas = true;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    simplify(&mut schema);
    schema.to_value()
}

/// Adds what an editor shows beside the key.
pub fn described(mut schema: Value, text: &str) -> Value {
    schema["description"] = text.into();
    schema
}

/// Writes words as one list and descriptions on one line, and allows an optional key without a
/// value.
fn simplify(schema: &mut Schema) {
    transform_subschemas(&mut simplify, schema);
    let Some(schema) = schema.as_object_mut() else { return };
    schema.remove("format");
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
    merge_nullable(schema);
    let forms = schema.get("oneOf").and_then(Value::as_array);
    let words = forms.and_then(|forms| forms.iter().map(words_of).collect::<Option<Vec<_>>>());
    if let Some(words) = words {
        schema.remove("oneOf");
        schema.insert("enum".to_owned(), words.concat().into());
    }
    let required = schema.get("required").cloned().unwrap_or_default();
    let required = required.as_array().map(Vec::as_slice).unwrap_or_default();
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (key, property) in properties.into_iter().flatten() {
        if !required.contains(&json!(key))
            && let Some(property) = property.as_object_mut()
        {
            allow_null(property);
        }
    }
}

/// Writes a choice of a form or null as that form made nullable.
fn merge_nullable(schema: &mut Map<String, Value>) {
    let Some(Value::Array(forms)) = schema.get("anyOf") else { return };
    let [Value::Object(form), null] = &**forms else { return };
    if null != &json!({ "type": "null" }) {
        return;
    }
    let mut form = form.clone();
    allow_null(&mut form);
    schema.remove("anyOf");
    form.into_iter().for_each(|(word, value)| _ = schema.entry(word).or_insert(value));
}

/// Returns the words that a form consists of.
fn words_of(form: &Value) -> Option<Vec<Value>> {
    match (form.get("const"), form["enum"].as_array()) {
        (Some(word), _) => Some(vec![word.clone()]),
        (None, words) => words.cloned(),
    }
}

fn allow_null(property: &mut Map<String, Value>) {
    if let Some(Value::String(kind)) = property.get("type") {
        let both = json!([kind, "null"]);
        property.insert("type".to_owned(), both);
    }
    let none = json!({ "type": "null" });
    for (word, null) in [("enum", &Value::Null), ("anyOf", &none), ("oneOf", &none)] {
        let list = property.get_mut(word).and_then(Value::as_array_mut);
        if let Some(list) = list.filter(|list| !list.contains(null)) {
            list.push(null.clone());
        }
    }
}
