import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { type ArgumentRules, isPersonal } from '../../../gateway/tools/overrides.ts'
import type { ArgumentShape } from '../../../protocol/service.ts'
import type { CallPlan } from '../tools/api-tool.ts'
import type { ToolRules } from '../tools/tool-rules.ts'

/**
 * Returns what is sent whatever a caller gives: fixed values, and the defaults of hidden arguments.
 * The gateway adds them, so that its rules and people judge all that is sent.
 */
export function shapeOf(
  { parameters, body }: Pick<CallPlan, 'parameters' | 'body'>,
  rules: ToolRules,
  { inputSchema }: JsonObject,
): ArgumentShape | undefined {
  const ruled: (readonly [string, ArgumentRules | undefined])[] = [
    ...parameters.map(({ argument, name }) => [argument, rules.parameters?.[name]] as const),
    ...(body ? [[body.argument, rules.body] as const] : []),
  ]
  const unseen = ruled.flatMap(([argument, rule]) =>
    rule && (rule.hidden === true || rule.fixed !== undefined) ? [[argument, rule] as const] : [],
  )
  if (unseen.length === 0) return undefined
  const fixed = Object.fromEntries(
    unseen.flatMap(([argument, rule]) => {
      const value = rule.fixed ?? rule.default
      return value === undefined ? [] : [[argument, value]]
    }),
  )
  return {
    ownNames: {},
    hidden: unseen.map(([argument]) => argument),
    defaults: {},
    fixed,
    isPersonal: isPersonal(fixed),
    schema: isObject(inputSchema) ? inputSchema : {},
  }
}
