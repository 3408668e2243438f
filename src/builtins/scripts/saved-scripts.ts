import {
  type SavedScript,
  type SavedScripts,
  type ScriptDraft,
  ScriptError,
} from '../../protocol/saved-scripts.ts'
import { messageOf } from '../../base/errors.ts'
import { fromText, toText } from './script-text.ts'

/** Where scripts are stored: texts under the names `NAME.ts` and `proposed/DIGEST.ts`. */
export interface ScriptStore {
  read(): Promise<ReadonlyMap<string, string>>
  write(file: string, text: string): Promise<void>
  /** Returns whether there was such a file. */
  remove(file: string): Promise<boolean>
}

/** Limited because all scripts are kept in memory as tools that agents search. */
const MAX_SCRIPTS = 500
/** Limited because a person reads each of them. */
const MAX_PROPOSALS = 100

export const PROPOSED = 'proposed/'

const fileOf = ({ state, name, digest }: SavedScript) =>
  state === 'proposed' ? `${PROPOSED}${digest}.ts` : `${name}.ts`

export function createSavedScripts(store: ScriptStore): SavedScripts {
  /** What was read last, by its file: most texts are the same the next time. */
  let known = new Map<string, { readonly text: string; readonly script: SavedScript }>()

  async function readAll() {
    const before = known
    known = new Map()
    const scripts: SavedScript[] = []
    const problems: string[] = []
    for (const [file, text] of await store.read()) {
      try {
        const last = before.get(file)
        const script = last?.text === text ? last.script : await fromText(file, text)
        known.set(file, { text, script })
        // What a person approves by its digest is what has this digest, whatever the file is called.
        if (fileOf(script) === file) scripts.push(script)
        else problems.push(`${file}: its content was changed, and has the digest ${script.digest}`)
      } catch (error) {
        problems.push(`${file}: ${messageOf(error)}`)
      }
    }
    return { scripts: scripts.toSorted(inOrder), problems }
  }

  const list = async () => (await readAll()).scripts

  async function add(draft: ScriptDraft, author: string, approvedBy?: string) {
    const state = approvedBy === undefined ? 'proposed' : 'approved'
    refuseTooMany(await list(), draft.name, state)
    const savedAt = new Date().toISOString()
    const text = await toText({ ...draft, state, author, savedAt, approvedBy })
    const file = state === 'approved' ? `${draft.name}.ts` : PROPOSED
    const script = await fromText(file, text)
    await store.write(fileOf(script), text)
    return script
  }

  async function proposal(digest: string): Promise<SavedScript> {
    const script = (await list()).find((each) => isProposal(each) && each.digest === digest)
    if (script) return script
    throw new ScriptError(
      `No proposal has the digest ${digest}`,
      '`portolan scripts list` shows those that wait, with their digests.',
    )
  }

  return {
    list,
    problems: async () => (await readAll()).problems,
    propose: async (draft, author) => add(draft, author),
    save: async (draft, author) => add(draft, author, author),
    async approve(digest, by) {
      const found = await proposal(digest)
      const approved = await add(found, found.author, by)
      await store.remove(fileOf(found))
      return approved
    },
    async reject(digest) {
      const found = await proposal(digest)
      await store.remove(fileOf(found))
      return found
    },
    remove: async (name) => store.remove(`${name}.ts`),
  }
}

function isProposal({ state }: SavedScript): boolean {
  return state === 'proposed'
}

function inOrder(one: SavedScript, other: SavedScript): number {
  return (
    one.name.localeCompare(other.name) ||
    Number(isProposal(other)) - Number(isProposal(one)) ||
    other.savedAt.localeCompare(one.savedAt)
  )
}

function refuseTooMany(
  scripts: readonly SavedScript[],
  name: string,
  state: SavedScript['state'],
): void {
  const approved = scripts.filter((each) => !isProposal(each) && each.name !== name)
  if (approved.length >= MAX_SCRIPTS)
    throw new ScriptError(
      `There are ${MAX_SCRIPTS} saved scripts already`,
      'Remove one that nobody uses with `portolan scripts remove`.',
    )
  if (state === 'proposed' && scripts.filter(isProposal).length >= MAX_PROPOSALS)
    throw new ScriptError(
      `${MAX_PROPOSALS} proposals wait for a decision`,
      'A person decides with `portolan scripts approve` or `reject`, or on the dashboard.',
    )
}
