import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { runGit } from '../../../base/git/run-git.ts'
import { type GitPlace, isSha256, readText } from '../../../base/git/read-git.ts'

const TIMEOUT_MS = 5_000
/** The commits at which a shallow clone ends are few. */
const MAX_SHALLOW_BYTES = 1_000_000

/** How many commits a working tree has, and how many of them are newer than the index. */
export interface CommitCounts {
  readonly all: number | null
  readonly behind: number | null
}

/**
 * Counts commits with git, but not in the repository, whose settings may name programs: in an empty
 * repository of our own, with the objects of the other one. Null if git is missing or fails.
 */
export async function countCommits(
  { commonDir, commit }: GitPlace,
  indexed: string,
): Promise<CommitCounts> {
  if (commit === null) return { all: null, behind: null }
  const folder = await mkdtemp(join(tmpdir(), 'portolan-git-'))
  try {
    await makeRepository(folder, commonDir)
    const count = async (range: string): Promise<number | null> =>
      runGit(['rev-list', '--count', '--end-of-options', range, '--'], {
        folder,
        timeoutMs: TIMEOUT_MS,
        env: {
          GIT_DIR: folder,
          GIT_OBJECT_DIRECTORY: join(commonDir, 'objects'),
          GIT_CONFIG_NOSYSTEM: '1',
          GIT_CONFIG_GLOBAL: devNull,
        },
      }).then(Number, () => null)
    const [all, behind] = await Promise.all([count(commit), count(`${indexed}..${commit}`)])
    return { all, behind }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function makeRepository(folder: string, commonDir: string): Promise<void> {
  const format = isSha256(commonDir)
    ? '[core]\nrepositoryFormatVersion = 1\nbare = true\n[extensions]\nobjectFormat = sha256\n'
    : '[core]\nrepositoryFormatVersion = 0\nbare = true\n'
  const shallow = readText(join(commonDir, 'shallow'), MAX_SHALLOW_BYTES)
  await mkdir(join(folder, 'refs'))
  await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/none\n')
  await writeFile(join(folder, 'config'), format)
  if (shallow !== undefined) await writeFile(join(folder, 'shallow'), shallow)
}
