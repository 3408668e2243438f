import { readFile, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { packageFile } from '../../base/files/package-files.ts'
import type { OwnSkill } from '../kit/serve-skills.ts'

/** Beside the built code and the sources alike. */
const FOLDER = packageFile('data/code-skills')

/** The skills that `portolan code init` writes into a project, for clients that take them from a server. */
export async function readCodeSkills(): Promise<OwnSkill[]> {
  const files = (await readdir(FOLDER)).toSorted()
  return Promise.all(
    files.map(async (file) => ({
      name: `cocosearch-${basename(file, '.md')}`,
      text: await readFile(join(FOLDER, file), 'utf8'),
    })),
  )
}
