export type Fields = Readonly<Record<string, unknown>>

export type FieldKind = 'choice' | 'switch' | 'number' | 'text' | 'object' | 'list' | 'json'

/** A parameter in the form. */
export interface FormField {
  readonly name: string
  readonly schema: Fields
  readonly required: boolean
}

/** Schemas may contain themselves. */
const MAX_DEPTH = 4
const MAX_STEPS = 10

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The schema itself where it is a reference, and without `null` where that is only one choice. */
export function resolve(schema: unknown, root: unknown): Fields {
  let now = schema
  for (let step = 0; step < MAX_STEPS && isFields(now); step += 1) {
    const { $ref: ref, anyOf, oneOf } = now
    const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : []
    const real = choices.filter((choice) => !isFields(choice) || choice['type'] !== 'null')
    if (typeof ref === 'string' && ref.startsWith('#/')) now = { ...at(root, ref), ...without(now) }
    else if (choices.length > 0 && real.length === 1 && isFields(real[0]))
      now = { ...without(now), ...real[0] }
    else return now
  }
  return isFields(now) ? now : {}
}

function without(schema: Fields): Fields {
  const replaced = ['$ref', 'anyOf', 'oneOf']
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !replaced.includes(key)))
}

function at(root: unknown, ref: string): Fields {
  const found = ref
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, key) => (isFields(node) ? node[key] : undefined), root)
  return isFields(found) ? found : {}
}

export function kindOf(schema: Fields, depth: number): FieldKind {
  if (choicesOf(schema) !== undefined) return 'choice'
  switch (typeOf(schema)) {
    case 'boolean':
      return 'switch'
    case 'number':
    case 'integer':
      return 'number'
    case 'string':
      return 'text'
    case 'object':
      return isFields(schema['properties']) && depth < MAX_DEPTH ? 'object' : 'json'
    case 'array':
      return isFields(schema['items']) && depth < MAX_DEPTH ? 'list' : 'json'
    default:
      return 'json'
  }
}

function typeOf({ type }: Fields): unknown {
  const types: unknown[] = Array.isArray(type) ? type.filter((one) => one !== 'null') : [type]
  return types.length === 1 ? types[0] : undefined
}

/** The values of an enumeration. */
export function choicesOf(schema: Fields): readonly unknown[] | undefined {
  if (Array.isArray(schema['enum'])) return schema['enum']
  return 'const' in schema ? [schema['const']] : undefined
}

/** The parameters of an object, required ones first. */
export function fieldsOf(schema: Fields): FormField[] {
  const { properties, required } = schema
  const names: unknown[] = Array.isArray(required) ? required : []
  return Object.entries(isFields(properties) ? properties : {})
    .map(([name, own]) => ({
      name,
      schema: isFields(own) ? own : {},
      required: names.includes(name),
    }))
    .toSorted((one, other) => Number(other.required) - Number(one.required))
}

/** The arguments to start with: what is required, with defaults. */
export function startingWith(schema: Fields, root: unknown, depth = 0): Fields {
  const values = fieldsOf(schema).flatMap(({ name, schema: raw, required }) => {
    const own = resolve(raw, root)
    if ('default' in own && own['default'] !== null) return [[name, own['default']]]
    if (!required) return []
    const kind = kindOf(own, depth)
    if (kind === 'object') return [[name, startingWith(own, root, depth + 1)]]
    if (kind === 'choice') return [[name, choicesOf(own)?.[0]]]
    if (kind === 'list') return [[name, []]]
    if (kind === 'switch') return [[name, false]]
    return kind === 'text' ? [[name, '']] : []
  })
  return Object.fromEntries(values)
}

/** A copy with one field set, or without it. */
export function withField(values: Fields, name: string, value: unknown): Fields {
  const { [name]: _, ...rest } = values
  // Its place among the others stays as it was.
  if (value === undefined) return rest
  return name in values
    ? Object.fromEntries(
        Object.entries(values).map(([key, old]) => [key, key === name ? value : old]),
      )
    : { ...values, [name]: value }
}

/** Whether JavaScript would round a number of this JSON text. */
export function hasLongNumber(text: string): boolean {
  return /(?<![\w."])-?\d[\d.]{15,}/.test(text)
}
