/**
 * The queries that find the definitions of each grammar. `@definition.<type>` captures a whole
 * definition, `@name` its name; a project may put its own `<grammar>.scm` into
 * the folder `queries` of its `OWN_FOLDER`.
 */
const ECMA = `
(function_declaration name: (_) @name) @definition.function
(generator_function_declaration name: (_) @name) @definition.function
(method_definition name: (_) @name) @definition.method
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)]) @definition.function
(assignment_expression left: (member_expression property: (_) @name) right: [(arrow_function) (function_expression)]) @definition.function
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @definition.method
(program (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant)))
(program (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant) (#match? @name "^[A-Z][A-Z0-9_]+$"))
`

const TYPESCRIPT = `${ECMA}
(class_declaration name: (_) @name) @definition.class
(abstract_class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(type_alias_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.class
(internal_module name: (_) @name) @definition.module
(function_signature name: (_) @name) @definition.function
(method_signature name: (_) @name) @definition.method
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
(module (expression_statement (assignment left: (identifier) @name) @definition.constant) (#match? @name "^[A-Z][A-Z0-9_]*$"))
`,
  go: `
(function_declaration name: (_) @name) @definition.function
(method_declaration name: (_) @name) @definition.method
(method_elem name: (_) @name) @definition.method
(type_spec name: (_) @name type: (interface_type)) @definition.interface
(type_spec name: (_) @name type: (struct_type)) @definition.class
(type_spec name: (_) @name type: [(function_type) (type_identifier) (qualified_type) (generic_type) (map_type) (slice_type) (array_type) (pointer_type) (channel_type)]) @definition.interface
(type_alias name: (_) @name) @definition.interface
(source_file (const_declaration (const_spec name: (identifier) @name) @definition.constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @definition.constant))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @definition.constant)))
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
(const_item name: (_) @name) @definition.constant
(static_item name: (_) @name) @definition.constant
`,
  java: `
(class_declaration name: (_) @name) @definition.class
(record_declaration name: (_) @name) @definition.class
(enum_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(annotation_type_declaration name: (_) @name) @definition.interface
(method_declaration name: (_) @name) @definition.method
(constructor_declaration name: (_) @name) @definition.method
(field_declaration declarator: (variable_declarator name: (identifier) @name) (#match? @name "^[A-Z][A-Z0-9_]+$")) @definition.constant
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
(delegate_declaration name: (_) @name) @definition.interface
(operator_declaration operator: (_) @name) @definition.method
`,
  cpp: `
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @definition.function
(function_definition declarator: (function_declarator declarator: (field_identifier) @name)) @definition.method
(function_definition declarator: (function_declarator declarator: (qualified_identifier name: (_) @name))) @definition.method
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: [(identifier) (field_identifier)] @name))) @definition.function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: [(identifier) (field_identifier)] @name)))) @definition.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier name: (_) @name)))) @definition.method
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier name: (_) @name))))) @definition.method
(class_specifier name: (_) @name body: (_)) @definition.class
(struct_specifier name: (_) @name body: (_)) @definition.class
(enum_specifier name: (_) @name body: (_)) @definition.class
(namespace_definition name: (_) @name) @definition.module
(preproc_function_def name: (_) @name) @definition.function
(preproc_def name: (_) @name value: (_)) @definition.constant
(function_definition declarator: (reference_declarator (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name))) @definition.function
(function_definition declarator: (reference_declarator (function_declarator declarator: (qualified_identifier name: (_) @name)))) @definition.method
(function_definition declarator: (function_declarator declarator: [(destructor_name) (operator_name)] @name)) @definition.method
(union_specifier name: (_) @name body: (_)) @definition.class
(type_definition declarator: (type_identifier) @name) @definition.interface
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @name)) @definition.interface
(type_definition declarator: (array_declarator declarator: (type_identifier) @name)) @definition.interface
(type_definition declarator: (function_declarator declarator: (type_identifier) @name)) @definition.interface
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @definition.interface
(type_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name))))) @definition.interface
(alias_declaration name: (_) @name) @definition.interface
(concept_definition name: (_) @name) @definition.interface
`,
  ruby: `
(class name: (_) @name) @definition.class
(module name: (_) @name) @definition.module
(method name: (_) @name) @definition.function
(singleton_method name: (_) @name) @definition.function
(assignment left: (constant) @name) @definition.constant
`,
  php: `
(class_declaration name: (_) @name) @definition.class
(trait_declaration name: (_) @name) @definition.interface
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.class
(method_declaration name: (_) @name) @definition.method
(function_definition name: (_) @name) @definition.function
(const_declaration (const_element (name) @name)) @definition.constant
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
(class_declaration "interface" (type_identifier) @name) @definition.interface
(type_alias (type_identifier) @name) @definition.interface
(source_file (property_declaration (variable_declaration (simple_identifier) @name)) @definition.constant)
(object_declaration (type_identifier) @name) @definition.class
(function_declaration (simple_identifier) @name) @definition.function
`,
  scala: `
(class_definition name: (_) @name) @definition.class
(object_definition name: (_) @name) @definition.class
(trait_definition name: (_) @name) @definition.interface
(enum_definition name: (_) @name) @definition.class
(type_definition name: (_) @name) @definition.interface
(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @definition.function
`,
}
