//! As much of JSON Schema as the protocol's needs.

use serde_json::Value;

/// A schema.
pub(crate) struct Schema(Value);

impl Schema {
    /// Reads one.
    pub(crate) fn new(text: &str) -> Self {
        Self(serde_json::from_str(text).expect("the schema is JSON"))
    }

    /// Checks a value against the definition called `name`.
    pub(crate) fn check(&self, name: &str, value: &Value) -> Result<(), String> {
        self.fits(&self.0["$defs"][name], value)
    }

    fn fits(&self, schema: &Value, value: &Value) -> Result<(), String> {
        for (keyword, rule) in schema.as_object().expect("a schema is an object") {
            let fits = match keyword.as_str() {
                "$ref" => {
                    let name = rule.as_str().and_then(|path| path.strip_prefix("#/$defs/"));
                    self.check(name.expect("a reference within the file"), value)?;
                    true
                }
                "oneOf" => {
                    let all = rule.as_array().expect("a list").iter();
                    let results: Vec<_> = all.map(|one| self.fits(one, value)).collect();
                    if results.iter().filter(|result| result.is_ok()).count() != 1 {
                        return Err(format!("{results:?}"));
                    }
                    true
                }
                "type" => is_of_type(rule, value),
                "const" => rule == value,
                "enum" => rule.as_array().expect("a list").contains(value),
                "minimum" => value.as_f64().is_none_or(|it| it >= rule.as_f64().expect("a number")),
                "maximum" => value.as_f64().is_none_or(|it| it <= rule.as_f64().expect("a number")),
                "minItems" => {
                    value.as_array().is_none_or(|it| it.len() as u64 >= rule.as_u64().expect("it"))
                }
                "required" => {
                    let mut keys = rule.as_array().expect("a list").iter();
                    keys.all(|key| value.get(key.as_str().expect("a text")).is_some())
                }
                "properties" => {
                    for (key, inner) in rule.as_object().expect("an object") {
                        value.get(key).map_or(Ok(()), |value| self.fits(inner, value))?;
                    }
                    true
                }
                "additionalProperties" => {
                    let mut values = value.as_object().into_iter().flat_map(|it| it.values());
                    values.try_for_each(|value| self.fits(rule, value))?;
                    true
                }
                "items" => {
                    let mut items = value.as_array().into_iter().flatten();
                    items.try_for_each(|value| self.fits(rule, value))?;
                    true
                }
                "description" | "pattern" => true,
                other => panic!("the test does not know `{other}`"),
            };
            if !fits {
                return Err(format!("{value} does not fit `{keyword}: {rule}`"));
            }
        }
        Ok(())
    }
}

fn is_of_type(rule: &Value, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str().expect("a text") {
        "null" => value.is_null(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("no type `{other}`"),
    };
    rule.as_array().map_or_else(|| is(rule), |names| names.iter().any(is))
}
