/**
 * What each grammar calls a definition. A capture `@definition.<type>` is the whole, `@name` its name;
 * a project may put its own `<grammar>.scm` into `.cocosearch/queries/`.
 */
const ECMA = `
(function_declaration name: (_) @name) @definition.function
(generator_function_declaration name: (_) @name) @definition.function
(method_definition name: (_) @name) @definition.method
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)]) @definition.function
(assignment_expression left: (member_expression property: (_) @name) right: [(arrow_function) (function_expression)]) @definition.function
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @definition.method
`

const TYPESCRIPT = `${ECMA}
(class_declaration name: (_) @name) @definition.class
(abstract_class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(type_alias_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.class
(internal_module name: (_) @name) @definition.module
(function_signature name: (_) @name) @definition.function
(abstract_method_signature name: (_) @name) @definition.method
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @definition.method
`

export const SYMBOL_QUERIES: Readonly<Record<string, string>> = {
  typescript: TYPESCRIPT,
  tsx: TYPESCRIPT,
  javascript: `${ECMA}
(class_declaration name: (_) @name) @definition.class
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @definition.method
`,
  python: `
(class_definition name: (_) @name) @definition.class
(function_definition name: (_) @name) @definition.function
`,
  go: `
(function_declaration name: (_) @name) @definition.function
(method_declaration name: (_) @name) @definition.method
(type_spec name: (_) @name type: (interface_type)) @definition.interface
(type_spec name: (_) @name type: (struct_type)) @definition.class
`,
  rust: `
(function_item name: (_) @name) @definition.function
(function_signature_item name: (_) @name) @definition.function
(struct_item name: (_) @name) @definition.class
(enum_item name: (_) @name) @definition.class
(union_item name: (_) @name) @definition.class
(trait_item name: (_) @name) @definition.interface
(type_item name: (_) @name) @definition.interface
(mod_item name: (_) @name) @definition.module
(impl_item type: (_) @name) @definition.class
(macro_definition name: (_) @name) @definition.function
`,
  java: `
(class_declaration name: (_) @name) @definition.class
(record_declaration name: (_) @name) @definition.class
(enum_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(annotation_type_declaration name: (_) @name) @definition.interface
(method_declaration name: (_) @name) @definition.method
(constructor_declaration name: (_) @name) @definition.method
`,
  'c-sharp': `
(class_declaration name: (_) @name) @definition.class
(struct_declaration name: (_) @name) @definition.class
(record_declaration name: (_) @name) @definition.class
(enum_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(namespace_declaration name: (_) @name) @definition.module
(file_scoped_namespace_declaration name: (_) @name) @definition.module
(method_declaration name: (_) @name) @definition.method
(constructor_declaration name: (_) @name) @definition.method
(property_declaration name: (_) @name) @definition.method
`,
  cpp: `
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @definition.function
(function_definition declarator: (function_declarator declarator: (field_identifier) @name)) @definition.method
(function_definition declarator: (function_declarator declarator: (qualified_identifier name: (_) @name))) @definition.method
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @definition.function
(class_specifier name: (_) @name body: (_)) @definition.class
(struct_specifier name: (_) @name body: (_)) @definition.class
(enum_specifier name: (_) @name body: (_)) @definition.class
(namespace_definition name: (_) @name) @definition.module
(preproc_function_def name: (_) @name) @definition.function
`,
  ruby: `
(class name: (_) @name) @definition.class
(module name: (_) @name) @definition.module
(method name: (_) @name) @definition.function
(singleton_method name: (_) @name) @definition.function
`,
  php: `
(class_declaration name: (_) @name) @definition.class
(trait_declaration name: (_) @name) @definition.interface
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.class
(method_declaration name: (_) @name) @definition.method
(function_definition name: (_) @name) @definition.function
`,
  bash: '(function_definition name: (_) @name) @definition.function',
  powershell: `
(function_statement (function_name) @name) @definition.function
(class_statement (simple_name) @name) @definition.class
`,
  css: `
(rule_set (selectors) @name) @definition.class
(keyframes_statement (keyframes_name) @name) @definition.class
`,
  ini: '(section (section_name (text) @name)) @definition.class',
  kotlin: `
(class_declaration (type_identifier) @name) @definition.class
(object_declaration (type_identifier) @name) @definition.class
(function_declaration (simple_identifier) @name) @definition.function
`,
  scala: `
(class_definition name: (_) @name) @definition.class
(object_definition name: (_) @name) @definition.class
(trait_definition name: (_) @name) @definition.interface
(enum_definition name: (_) @name) @definition.class
(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @definition.function
`,
}
