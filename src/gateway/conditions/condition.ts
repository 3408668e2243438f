import type { ValidateFunction } from 'ajv'
import type { DataValidationCxt } from 'ajv/dist/types/index.js'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { toPath } from '../validation/check-arguments.ts'
import { isOfType } from '../validation/coerce.ts'
import { grantWork, withinWork } from '../validation/work.ts'
import { createValidator } from '../validation/validator.ts'
import { compileHost } from './host.ts'
import { EXPECTS, RESEMBLES, markVacuous } from './vacuous.ts'
import { type Answer, compileWithin } from './within.ts'

/** A schema on the arguments of a call. */
export interface Condition {
  /** Returns whether they match, with numbers as doubles; a text that says why if that cannot be decided. */
  test(args: JsonObject): boolean | string
}

/** Work for one condition: far more than arguments of megabytes need. */
const MAX_WORK = 500_000

/** Conditions that are not compiled yet: the library for schemas is loaded with the first one. */
const compiling = new Set<Promise<void>>()

/** Resolves when every condition is compiled; undefined if all are. */
export function conditionsReady(): Promise<unknown> | undefined {
  return compiling.size === 0 ? undefined : Promise.all(compiling)
}

/**
 * Compiles a condition that `checkCondition` has passed. It answers "unsure" if a part of it is that
 * could change the answer, wherever that part stands: under `not`, unsure is no "yes" either.
 */
export function compileCondition(schema: JsonObject): Condition {
  let compiled: ValidateFunction | undefined
  let failure = 'the condition is not compiled yet'
  const compilation = compile(schema)
    .then(
      (validate) => void (compiled = validate),
      (error: unknown) => void (failure = `the condition cannot be compiled (${String(error)})`),
    )
    .finally(() => compiling.delete(compilation))
  compiling.add(compilation)
  return {
    test(args) {
      const validate = compiled
      if (!validate) return failure
      grantWork(MAX_WORK)
      doubt = undefined
      const matches = withinWork(() => validate(args))
      return doubt ?? matches ?? 'checking it takes too long'
    },
  }
}

/** Why the condition that is being tested cannot be decided. */
let doubt: string | undefined

function unsure(why: string, context: DataValidationCxt | undefined): boolean {
  const place = toPath(context?.instancePath ?? '')
  doubt ??= place === '' ? `the arguments: ${why}` : `"${place}" ${why}`
  return true
}

async function compile(schema: JsonObject): Promise<ValidateFunction> {
  return createValidator(markVacuous(schema), (ajv) => {
    const ofText = (
      keyword: string,
      why: string,
      compileIt: (list: string[]) => (text: string) => Answer,
    ) =>
      ajv.addKeyword({
        keyword,
        type: 'string',
        compile(given: unknown) {
          const judge = compileIt([given].flat().map(String))
          return (value: string, context?: DataValidationCxt) => {
            const answer = judge(value)
            return answer === 'unsure' ? unsure(why, context) : answer === 'yes'
          }
        },
      })
    ofText('within', 'is not a plain absolute path such as /srv/data/file', compileWithin)
    ofText('host', 'is not a plain URL such as https://example.com/page', compileHost)
    ajv.addKeyword({
      keyword: EXPECTS,
      compile: (types: readonly string[]) => (value: unknown, context?: DataValidationCxt) =>
        types.some((type) => isOfType(type, value)) ||
        unsure(`is no ${types.join(' or ')}, so the condition says nothing about it`, context),
    })
    ajv.addKeyword({
      keyword: RESEMBLES,
      before: 'const',
      compile: (members: readonly unknown[]) => (value: unknown, context?: DataValidationCxt) =>
        !members.some((member) => isOtherForm(value, member)) ||
        unsure('is one of the values of the condition in another form', context),
    })
  })
}

/** Whether a value would be the same after a conversion, as "5" and 5 are. */
function isOtherForm(value: unknown, member: unknown): boolean {
  if (typeof value === typeof member || isObject(value) || isObject(member)) return false
  return String(value).trim().toLowerCase() === String(member).toLowerCase()
}
