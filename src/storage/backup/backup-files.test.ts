import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FileRestore, readDataFiles } from './backup-files.ts'

let home: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'portolan-backup-files-'))
  await mkdir(join(home, 'vault'))
  await writeFile(join(home, 'keys.json'), '{}')
  await writeFile(join(home, 'vault', 'ada.json'), '{}')
  await writeFile(join(home, 'mcp.json'), '{}')
  await writeFile(join(home, 'mcp.lock'), '{}')
  await mkdir(join(home, 'pins'))
  await writeFile(join(home, 'pins', 'a.json'), '{}')
  await mkdir(join(home, 'packages'))
  await writeFile(join(home, 'packages', 'installed.js'), '')
  await mkdir(join(home, 'history'))
  await writeFile(join(home, 'history', '2.sealed'), 'sealed2:')
  await writeFile(join(home, 'cache.json'), '{}')
})

afterEach(async () => rm(home, { recursive: true, force: true }))

async function filesOf(folder: string): Promise<string[]> {
  const names = new Set<string>()
  for await (const { file } of readDataFiles(folder)) names.add(file)
  return [...names]
}

/** Ways to write the path of the data folder. */
const SPELLINGS: readonly [string, () => string][] = [
  ['as it is', () => home],
  ['with a slash at the end', () => `${home}/`],
  ['relative to the working folder', () => relative(process.cwd(), home)],
  ['relative, with a dot at the start', () => `./${relative(process.cwd(), home)}`],
  ['through another folder', () => `${home}/vault/..`],
]

describe.each(SPELLINGS)('a data folder whose path is written %s', (_, written) => {
  it('is read with the files that cannot be rebuilt', async () => {
    expect(await filesOf(written())).toEqual([
      join('history', '2.sealed'),
      'keys.json',
      'mcp.json',
      'mcp.lock',
      join('pins', 'a.json'),
      join('vault', 'ada.json'),
    ])
  })

  it('is not restored into while it holds data', async () => {
    await expect(new FileRestore(written()).requireEmpty()).rejects.toThrow(
      `already holds data (${join('history', '2.sealed')})`,
    )
  })
})

it('an absent data folder is empty', async () => {
  await expect(new FileRestore(join(home, 'new')).requireEmpty()).resolves.toBeUndefined()
})

it('a data folder that cannot be read is an error, not an empty one', async () => {
  await expect(filesOf(join(home, 'keys.json'))).rejects.toThrow('ENOTDIR')
})
