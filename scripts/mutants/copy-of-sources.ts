import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const COPIED = ['src', 'test', 'scripts']
const LEFT_OUT = ['.git', 'dist', 'build']

/** Makes a copy in which code may be changed; the rest is linked. It is removed on exit. */
export function copyOfSources(): string {
  const copy = mkdtempSync(join(tmpdir(), 'portolan-mutants-'))
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }))
  for (const entry of readdirSync('.'))
    if (COPIED.includes(entry)) cpSync(entry, join(copy, entry), { recursive: true })
    else if (!LEFT_OUT.includes(entry)) symlinkSync(join(process.cwd(), entry), join(copy, entry))
  return copy
}
