import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const COPIED = ['src', 'test', 'scripts']
const LEFT_OUT = ['.git', 'dist', 'build']

/** A copy in which code may be changed; what nobody changes is linked. It is gone when the process ends. */
export function copyOfSources(): string {
  const copy = mkdtempSync(join(tmpdir(), 'portolan-mutants-'))
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }))
  for (const entry of readdirSync('.'))
    if (COPIED.includes(entry)) cpSync(entry, join(copy, entry), { recursive: true })
    else if (!LEFT_OUT.includes(entry)) symlinkSync(join(process.cwd(), entry), join(copy, entry))
  return copy
}
