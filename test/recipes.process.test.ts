import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runProgram } from './support/run-program.ts'
import { type TempFolder, tempFolder } from './support/temp-folder.ts'

const ROOT = join(import.meta.dirname, '..')
const RECIPES = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')

/** Returns the blocks of code of a recipe, by the file that they belong to. */
function blocksOf(recipe: string): Map<string, string> {
  const [, text = ''] = RECIPES.split(`**${recipe}.**`)
  const [own = ''] = text.split(/^\*\*/m)
  const blocks = own.matchAll(/^```\w+ title="([^"]+)"\n([\s\S]*?)^```$/gm)
  return new Map(Array.from(blocks, ([, file = '', code = '']) => [file, code]))
}

/** A checkout of a stranger, without what only makes it large. */
function checkout(): TempFolder {
  const folder = tempFolder()
  cpSync(join(ROOT, 'src'), folder.file('src'), { recursive: true })
  for (const name of ['package.json', 'tsconfig.json', 'node_modules', 'assets', 'packs'])
    symlinkSync(join(ROOT, name), folder.file(name))
  return folder
}

it('a stranger who follows the recipe adds a document format', async () => {
  const folder = checkout()
  for (const [file, code] of blocksOf('A document format')) {
    const before = file.endsWith('/formats.ts') ? folder.read(file) : undefined
    const after = before?.replace('const FORMATS = {\n', (start) => `${start}${code}`) ?? code
    expect(after).not.toBe(before)
    writeFileSync(folder.file(file), after)
  }
  const subtitles = [
    '1\n00:00:01,000 --> 00:00:04,000\nThe bearing of the hoist',
    '2\n00:00:04,500 --> 00:00:08,000\nis greased every 400 hours.',
  ]
  folder.write('talk.srt', `${subtitles.join('\n\n')}\n`)
  const portolan = async (...args: string[]) =>
    runProgram(
      process.execPath,
      ['--import', import.meta.resolve('tsx'), folder.file('src/cli/main.ts'), ...args],
      {
        cwd: folder.path,
        env: { PATH: process.env['PATH'], HOME: folder.path, PORTOLAN_HOME: folder.file('data') },
      },
    )

  const ingested = await portolan('knowledge', 'ingest', 'talk.srt')
  const { stdout } = await portolan('knowledge', 'search', 'greased every 400 hours', '--json')

  expect(ingested).toMatchObject({ code: 0 })
  expect(stdout).toContain('is greased every 400 hours.')
  expect(stdout).not.toContain('00:00:04')
})
