import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { GatewayError } from '../../../gateway/errors.ts'
import { type Workspace, expandPath } from '../../paths.ts'
import {
  type Secrets,
  hideSecrets,
  newSecrets,
  storeSecret,
  storedSecrets,
} from '../../secrets/hide-secrets.ts'
import type { DeclaredVariable, FilledPlan, PlannedField, ServerPlan } from './server-plan.ts'

export type Values = Readonly<Record<string, string>>

export interface FillOptions {
  readonly place: Workspace
  /** The data folder, where secrets are stored. */
  readonly home: string
}

/**
 * Completes an entry with the values of its variables. Secrets become `${NAME}`, under a name that
 * nothing else has, so that no other value of that name ever reaches the server. Values that the plan
 * does not know are variables of its program.
 */
export function fillPlan(
  plan: ServerPlan,
  values: Values,
  { place, home }: FillOptions,
): FilledPlan {
  const secrets: Secrets = storedSecrets(home, place.env)
  const texts = new Map<string, string>()
  const missing: DeclaredVariable[] = []
  for (const variable of plan.variables) {
    const value = values[variable.name] ?? variable.default ?? ''
    if (value !== '') texts.set(variable.name, textFor(variable, value, { plan, secrets, place }))
    else if (variable.isRequired) missing.push(variable)
  }
  if (missing.length > 0) throw lacking(plan, missing)
  const known = new Set(plan.variables.map(({ name }) => name))
  const others = Object.entries(values).filter(([name]) => !known.has(name))
  const fields = plan.fields.filter(({ variables }) => variables.every((name) => texts.has(name)))
  const whole = withFields(plan.entry, fields, texts)
  const { env } = whole
  const entry = {
    ...whole,
    ...(others.length > 0 && { env: { ...(isObject(env) && env), ...Object.fromEntries(others) } }),
  }
  return {
    name: plan.name,
    entry: hideSecrets(plan.name, entry, secrets, place.env),
    secrets: newSecrets(home, place.env, secrets),
  }
}

interface Filling {
  readonly plan: ServerPlan
  readonly secrets: Secrets
  readonly place: Workspace
}

/** Returns what stands in the entry for a value: the value, or the name of a stored secret. */
function textFor(variable: DeclaredVariable, given: string, { plan, secrets, place }: Filling) {
  const value = variable.format === 'filepath' ? expandPath(given, place) : given
  const mistake = mistakeIn(variable, value)
  if (mistake !== undefined)
    throw new GatewayError('INVALID_PARAMS', `${variable.name} of ${plan.name} ${mistake}`, {
      hint: variable.description,
    })
  if (variable.isReference) {
    secrets.set(variable.name, value)
    return `\${${variable.name}}`
  }
  if (!variable.isSecret) return value
  const own = { server: plan.name, env: place.env, isForeign: true }
  return `\${${storeSecret(secrets, value, variable.name, own)}}`
}

function mistakeIn({ choices, format }: DeclaredVariable, value: string): string | undefined {
  if (/\p{Cc}/u.test(value)) return 'must not contain control characters'
  if (choices.length > 0 && !choices.includes(value)) return `must be one of: ${choices.join(', ')}`
  if (format === 'number' && !Number.isFinite(Number(value))) return 'must be a number'
  if (format === 'boolean' && !/^(?:true|false)$/.test(value)) return 'must be true or false'
  return undefined
}

function lacking({ name }: ServerPlan, missing: readonly DeclaredVariable[]): GatewayError {
  const names = missing.map((variable) => variable.name)
  const about = missing.map(
    ({ name: one, description }) => `${one}: ${description || 'no description'}`,
  )
  return new GatewayError('INVALID_PARAMS', `${name} needs a value for ${names.join(', ')}`, {
    hint: `Give each with --env NAME=value, or run the command on a terminal, which asks. ${about.join('; ')}`,
    data: { missing: names },
  })
}

function withFields(
  entry: JsonObject,
  fields: readonly PlannedField[],
  texts: ReadonlyMap<string, string>,
): JsonObject {
  const fill = (word: string) =>
    word.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => texts.get(name) ?? whole)
  const at = (place: PlannedField['at']) => fields.filter((field) => field.at === place)
  const pairs = (place: 'env' | 'headers') => {
    const own = at(place).map(({ key = '', words }) => [key, fill(words.join(''))])
    const { [place]: before } = entry
    return own.length === 0
      ? {}
      : { [place]: { ...(isObject(before) && before), ...Object.fromEntries(own) } }
  }
  const args = at('args').flatMap(({ words }) => words.map(fill))
  const [url] = at('url').map(({ words }) => fill(words.join('')))
  const before: unknown[] = Array.isArray(entry['args']) ? entry['args'] : []
  return {
    ...entry,
    ...(args.length > 0 && { args: [...before, ...args] }),
    ...pairs('env'),
    ...pairs('headers'),
    ...(url !== undefined && { url }),
  }
}
