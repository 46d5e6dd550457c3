//! Values on one line, as people write them in YAML: `{ kind: swiss, rounds: 9 }`.

use serde_json::Value;

use super::yaml::is_plain_text;

/// Writes a value on one line.
pub(super) fn flow(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain_text(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(entries) if !entries.is_empty() => {
            let key = |key: &String| flow(&Value::from(key.as_str()));
            let entries: Vec<String> = entries
                .iter()
                .map(|(name, value)| format!("{}: {}", key(name), flow(value)))
                .collect();
            format!("{{ {} }}", entries.join(", "))
        }
        other => other.to_string(),
    }
}
