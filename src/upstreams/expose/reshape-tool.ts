import { type JsonObject, isObject } from '../../base/json/json.ts'
import { didYouMean } from '../../base/text/nearest.ts'
import type { Effect } from '../../gateway/tools/effect.ts'
import { type ArgumentRules, type ToolOverride, isPersonal } from '../../gateway/tools/overrides.ts'
import type { Tool } from '../../gateway/upstream.ts'
import type { ArgumentShape } from '../../protocol/service.ts'

/** An override that cannot be applied; `at` is the place in it. */
export class OverrideMistake extends Error {
  readonly at: string

  constructor(message: string, at = '') {
    super(message)
    this.at = at
  }
}

/** Keywords that relate parameters to each other, under their own names. */
const RELATIONS = [
  'allOf',
  'anyOf',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'else',
  'if',
  'maxProperties',
  'minProperties',
  'not',
  'oneOf',
  'then',
] as const

/**
 * Returns a tool as its override shows it. `own` names the parameters that the override of this very
 * tool speaks of: the tool must have them, while a pattern may be about other tools.
 */
export function reshapeTool(tool: Tool, override: ToolOverride, own: readonly string[]): Tool {
  const { name, title, description, effect, examples, parameters } = override
  const { definition } = tool
  const reshaped = parameters && reshapeArguments(definition['inputSchema'], parameters, own)
  const inputSchema = reshaped?.schema ?? definition['inputSchema']
  return {
    ...tool,
    definition: {
      ...definition,
      ...(name !== undefined && { name }),
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(effect !== undefined && { annotations: annotated(definition['annotations'], effect) }),
      inputSchema: isObject(inputSchema) && examples ? { ...inputSchema, examples } : inputSchema,
    },
    ...(effect !== undefined && { effect, readOnly: effect === 'read' }),
    ...(reshaped && { shape: reshaped.shape }),
  }
}

function annotated(annotations: unknown, effect: Effect): JsonObject {
  const hints = { readOnlyHint: effect === 'read', destructiveHint: effect === 'delete' }
  return { ...(isObject(annotations) && annotations), ...hints }
}

/** Returns the input schema for callers, and how what fits it becomes what is sent. */
function reshapeArguments(
  given: unknown,
  rules: Readonly<Record<string, ArgumentRules>>,
  own: readonly string[],
): { readonly schema: JsonObject; readonly shape: ArgumentShape } | undefined {
  const schema = isObject(given) ? given : {}
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  for (const parameter of own)
    if (!Object.hasOwn(properties, parameter)) throw unknownParameter(parameter, properties)
  const known = Object.entries(rules).filter(([parameter]) => Object.hasOwn(properties, parameter))
  if (known.length === 0) return undefined
  return {
    schema: {
      ...withoutRelations(schema, known),
      ...shownParameters(properties, schema['required'], new Map(known)),
    },
    shape: toShape(known, schema),
  }
}

/** Returns the properties that callers see, and which of them they must give. */
function shownParameters(
  properties: JsonObject,
  given: unknown,
  rules: ReadonlyMap<string, ArgumentRules>,
): JsonObject {
  const needed: readonly unknown[] = Array.isArray(given) ? given : []
  const shown = new Map<string, unknown>()
  const required: string[] = []
  for (const [parameter, value] of Object.entries(properties)) {
    const rule = rules.get(parameter) ?? {}
    const isNeeded = needed.includes(parameter) && rule.default === undefined && !isFixed(rule)
    if (isHidden(rule)) {
      if (isNeeded) throw neededParameter(parameter)
      continue
    }
    const { name = parameter } = rule
    if (shown.has(name)) throw twoParameters(parameter, name)
    shown.set(name, ruled(value, rule))
    if (isNeeded) required.push(name)
  }
  return { properties: Object.fromEntries(shown), required }
}

function toShape(
  rules: readonly (readonly [string, ArgumentRules])[],
  schema: JsonObject,
): ArgumentShape {
  const having = (field: 'default' | 'fixed') =>
    Object.fromEntries(
      rules.flatMap(([name, rule]) => (rule[field] === undefined ? [] : [[name, rule[field]]])),
    )
  const visible = rules.filter(([, rule]) => !isHidden(rule))
  const fixed = having('fixed')
  return {
    ownNames: Object.fromEntries(
      visible.flatMap(([own, { name = own }]) => (name === own ? [] : [[name, own]])),
    ),
    hidden: rules.flatMap(([name, rule]) => (isHidden(rule) ? [name] : [])),
    defaults: having('default'),
    fixed,
    isPersonal: isPersonal(fixed),
    schema,
  }
}

function isFixed({ fixed }: ArgumentRules): boolean {
  return fixed !== undefined
}

function isHidden(rule: ArgumentRules): boolean {
  return rule.hidden === true || isFixed(rule)
}

function ruled(value: unknown, rule: ArgumentRules): unknown {
  if (!isObject(value) && Object.keys(rule).length === 0) return value
  const { schema, description, default: initial } = rule
  return {
    ...(isObject(value) && value),
    ...schema,
    ...(description !== undefined && { description }),
    ...(initial !== undefined && { default: initial }),
  }
}

/** Leaves out what relates parameters to each other, once one has another name or none. */
function withoutRelations(
  schema: JsonObject,
  rules: readonly (readonly [string, ArgumentRules])[],
): JsonObject {
  if (!rules.some(([, rule]) => isHidden(rule) || rule.name !== undefined)) return schema
  const rest = { ...schema }
  for (const keyword of RELATIONS) delete rest[keyword]
  return rest
}

function unknownParameter(parameter: string, properties: JsonObject): OverrideMistake {
  const hint = didYouMean(parameter, Object.keys(properties))
  const message = `the tool has no parameter "${parameter}"`
  return new OverrideMistake(hint ? `${message}. ${hint}` : message, `parameters.${parameter}`)
}

function neededParameter(parameter: string): OverrideMistake {
  return new OverrideMistake(
    `"${parameter}" is required, so it cannot be hidden without a "fixed" or "default" value`,
    `parameters.${parameter}`,
  )
}

function twoParameters(parameter: string, name: string): OverrideMistake {
  return new OverrideMistake(
    `two parameters would have the name "${name}"`,
    `parameters.${parameter}.name`,
  )
}
