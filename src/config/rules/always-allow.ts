import { type JsonPath, editJson } from '../../base/json/edit-json.ts'
import { addToList } from '../../base/json/edit-list.ts'
import { type JsonObject, canonicalJson, isObject } from '../../base/json/json.ts'
import type { AskEntry, ToolException } from '../../gateway/agents/rules.ts'
import type { Question, RuleChange } from '../../gateway/approvals/approval.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { changeFile, overtaken } from '../history/change-file.ts'
import { diffOf } from '../history/describe-version.ts'
import type { Config } from '../load.ts'
import { parseJson } from '../parse-text.ts'
import type { Workspace } from '../paths.ts'
import { textOf } from '../text-of.ts'

/** Where the configuration is; `place` is undefined if that is not in files. */
export interface RulesPlace {
  readonly place: Workspace | undefined
  readonly config: Pick<Config, 'files' | 'leftOut' | 'version'>
}

/**
 * Prepares the change by which a rule never asks about these arguments again: they are added to the
 * `unless` of its entry. Throws if the rule is another by now, or cannot have such a list.
 */
export function prepareAlways(
  { id, question }: { readonly id: string; readonly question: Question },
  { place, config }: RulesPlace,
): RuleChange {
  const { exception, rule, agent, server, tool } = question
  if (!exception)
    throw refusal(
      `"${rule}" cannot leave out these arguments`,
      'Only an entry below `tools` can, and no arguments with secrets. Approve the call once.',
    )
  if (!place || config.version !== undefined)
    throw refusal(
      'The rules of this gateway are not in files',
      'Add the arguments to `unless` of the rule, and `portolan config push`.',
    )
  const { files, leftOut } = config
  const found = files.rules
    .map(({ path }) => ({ path, entry: entryAt(textOf(path), question) }))
    .findLast(({ entry }) => entry !== undefined)
  if (!found?.entry) throw overtaken(files.rules.at(-1)?.path ?? 'The rules file')
  const untrusted = leftOut.find(({ path }) => path === found.path)
  if (untrusted) throw refusal(untrusted.message, untrusted.command)
  const { path } = found
  const edit = (text: string) => {
    const entry = entryAt(text, question)
    if (!entry) throw overtaken(path)
    return withException(text, entry, question)
  }
  const before = textOf(path)
  return {
    path,
    diff: diffOf(path, before, edit(before)),
    async apply(by) {
      const reason = `always allow ${agent} ${server}/${tool} with these arguments (${id})`
      await changeFile(place, { file: path, by, reason, edit })
    },
  }
}

function refusal(message: string, hint: string): GatewayError {
  return new GatewayError('INVALID_PARAMS', message, { hint })
}

interface FoundEntry {
  readonly path: JsonPath
  /** The server of its list, or `*`. */
  readonly server: string
  readonly entry: AskEntry
  readonly isText: boolean
}

/** Finds the entry that asked, if it is as it was then. */
function entryAt(text: string, { rule, exception }: Question): FoundEntry | undefined {
  const content = parseJson(text)
  for (const kind of ['agents', 'groups'])
    for (const [name, { ask }] of objectsIn(content, kind))
      for (const [server, list] of isObject(ask) && isObject(ask['tools'])
        ? Object.entries(ask['tools'])
        : [])
        for (const [at, entry] of Array.isArray(list) ? list.entries() : [])
          if (
            rule === `${kind}.${name}.ask.tools.${server}[${at}]` &&
            canonicalJson(entry) === exception?.source
          )
            return {
              path: [kind, name, 'ask', 'tools', server, at],
              server,
              entry: typeof entry === 'string' ? { tool: entry } : entry,
              isText: typeof entry === 'string',
            }
  return undefined
}

function objectsIn(content: unknown, key: string): [string, JsonObject][] {
  const found = isObject(content) ? content[key] : undefined
  return Object.entries(isObject(found) ? found : {}).filter((pair): pair is [string, JsonObject] =>
    isObject(pair[1]),
  )
}

function withException(text: string, found: FoundEntry, question: Question): string {
  const { path, entry, isText } = found
  const when: JsonObject = { const: JSON.parse(question.exception?.arguments ?? '') }
  const exception = narrowed(when, found, question)
  if (isText) return editJson(text, path, { ...entry, unless: [exception] })
  return addToList(text, [...path, 'unless'], exception)
}

/** An entry about several tools or servers must go on asking about the others. */
function narrowed(
  when: JsonObject,
  { server, entry }: FoundEntry,
  question: Question,
): JsonObject | ToolException {
  const isOne = server === question.server && entry.tool === question.tool
  if (isOne) return when
  return { ...(server === '*' && { server: question.server }), tool: question.tool, when }
}
