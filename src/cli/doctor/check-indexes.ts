import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openKnowledge } from '../shared/open-knowledge.ts'
import type { Environment } from '../../base/environment.ts'
import { sharedServicesFrom } from '../../config/shared-services.ts'
import type { BuiltinName } from '../../builtins/index.ts'
import { howToServe, whyUnserved } from '../../config/servers/with-builtins.ts'
import { IndexStore } from '../../builtins/code/engine/index/index-store.ts'
import { findProject } from '../../builtins/code/project/find-project.ts'
import { readGit } from '../../base/git/read-git.ts'
import { hide } from '../../base/secrets/secrets.ts'
import { shellWord } from '../../base/text/shell-word.ts'
import { type Finding, findings, reasonOf } from './finding.ts'
import { count } from '../shared/terminal/terminal.ts'

/** The most bytes of an index to read; a larger one takes seconds. */
const MAX_READ = 256 << 20

/** Checks whether each code index can be loaded, and still matches its project. */
export async function checkCode(home: string, isLeftOut: boolean): Promise<Finding[]> {
  const { ok, fail } = findings('code')
  const folder = join(home, 'code')
  const names = existsSync(folder) ? readdirSync(folder).toSorted() : []
  if (names.length === 0) {
    const message =
      'no index yet: a Git repository is indexed at its first search, any other folder by portolan code index <folder>'
    return [ok(message)]
  }
  const store = new IndexStore(home)
  const found: Finding[] = []
  for (const name of names) {
    const summary = store.summary(name)
    const isRead = store.bytes(name) <= MAX_READ
    const loaded = summary && isRead ? await store.load(name) : summary
    found.push(
      summary && loaded
        ? freshness(summary)
        : fail(
            `${name}: the index is damaged`,
            `portolan code index ${summary ? shellWord(summary.root) : '<folder>'} --fresh`,
          ),
    )
  }
  return isLeftOut ? [...found, unserved('code')] : found
}

/** What is stored for a built-in server that this gateway does not have. */
function unserved(builtin: BuiltinName): Finding {
  return findings(builtin).warn(whyUnserved(builtin), howToServe(builtin))
}

type Summary = NonNullable<ReturnType<IndexStore['summary']>>

function freshness({ name, root, files, branch, commit, updatedAt }: Summary): Finding {
  const { ok, warn } = findings('code')
  if (!existsSync(root))
    return warn(`${name}: ${root} no longer exists`, `portolan code clear ${shellWord(name)}`)
  const state = `${name}: ${count(files, 'file')}, updated ${updatedAt.slice(0, 16).replace('T', ' ')}`
  const { git } = findProject(root)
  const now = git && readGit(git.root)
  if (now && (now.branch !== branch || now.commit !== commit))
    return ok(`${state}; ${now.branch ?? 'another commit'} will be indexed at the next search`)
  return ok(state)
}

/** Reads every document of the knowledge base, if there is one. */
export async function checkKnowledge(
  home: string,
  env: Environment,
  isLeftOut: boolean,
): Promise<Finding[]> {
  const { ok, fail, warn } = findings('knowledge')
  const { databaseUrl } = sharedServicesFrom(env)
  const file = join(home, 'portolan.db')
  if (databaseUrl === undefined && !existsSync(file))
    return [ok('no documents yet: portolan ingest <path or url>')]
  try {
    const commands = await openKnowledge()
    const { documents, chunks, problems } = await commands
      .verify({})
      .finally(async () => commands.close())
    const fix = 'Ingest it again: portolan ingest <path or url>'
    return [
      ...problems.map((problem) => warn(problem, fix)),
      ...(problems.length === 0
        ? [ok(`${count(documents, 'document')}, ${count(chunks, 'passage')}`)]
        : []),
      ...(documents > 0 && isLeftOut ? [unserved('knowledge')] : []),
    ]
  } catch (error) {
    return [
      fail(
        `the database cannot be read: ${hide(reasonOf(error))}`,
        databaseUrl === undefined
          ? `Restore ${file} from a backup, or move it away to start with an empty one.`
          : 'The documents are in the PostgreSQL of PORTOLAN_DATABASE_URL: check that it answers and that its role may use the tables.',
      ),
    ]
  }
}
