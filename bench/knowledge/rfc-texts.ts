import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'

const run = promisify(execFile)

/** Debian's packages of RFC texts, with the checksums Debian publishes for them. */
const PACKAGES = [
  ['doc-rfc-std', 'b9bfead1a230da198ab96ce70cc9fbb64dc600d914c1504eeb4c19e29f95734b'],
  ['doc-rfc-fyi-bcp', 'd1db7332103b14ac2ce4e9e09188e38b3ade332bcc791990c7eb8064333a2b9e'],
] as const
const VERSION = '20230121-1'

/**
 * Returns the folder with `rfcNNNN.txt`: `RFC_DIR`, or that of an earlier run, or Debian's
 * packages, fetched once from a Debian mirror (`DEBIAN_MIRROR`, or the one that this machine
 * installs from). RFCs may be copied freely in full.
 */
export async function rfcTexts(): Promise<string> {
  const given = process.env['RFC_DIR']
  if (given) return given
  const folder = join(process.env['BENCH_CACHE'] ?? join(tmpdir(), 'portolan-bench'), 'rfc')
  const files = await readdir(folder).catch(() => [])
  if (files.length > 0) return folder
  const work = `${folder}.${process.pid}`
  await mkdir(join(work, 'texts'), { recursive: true })
  for (const [name, sha256] of PACKAGES) await unpack(name, sha256, work)
  await rename(join(work, 'texts'), folder)
  await rm(work, { recursive: true })
  return folder
}

async function unpack(name: string, sha256: string, work: string): Promise<void> {
  const mirror = process.env['DEBIAN_MIRROR'] ?? (await aptMirror())
  const file = `${name}_${VERSION}_all.deb`
  const response = await fetch(`${mirror}/pool/non-free/d/doc-rfc/${file}`)
  if (!response.ok)
    throw new Error(`${file}: ${response.status}; set RFC_DIR to a folder of RFC texts`)
  const bytes = new Uint8Array(await response.arrayBuffer())
  const found = createHash('sha256').update(bytes).digest('hex')
  if (found !== sha256) throw new Error(`${file} is not the package Debian published (${found})`)
  await writeFile(join(work, file), bytes)
  await run('dpkg-deb', ['-x', join(work, file), join(work, name)])
  for (const path of await readdir(join(work, name), { recursive: true })) {
    if (!/rfc\d+\.txt\.gz$/.test(path)) continue
    const text = gunzipSync(await readFile(join(work, name, path)))
    await writeFile(join(work, 'texts', basename(path, '.gz')), text)
  }
}

/** Returns the mirror from which this machine installs its packages. */
async function aptMirror(): Promise<string> {
  const folder = '/etc/apt/sources.list.d'
  const names = await readdir(folder).catch(() => [])
  const files = [
    ...names.filter((name) => name.endsWith('.sources')).map((name) => join(folder, name)),
    '/etc/apt/sources.list',
  ]
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => '')
    const found = /^(?:URIs:|deb(?: \[[^\]]*\])?)\s+(https?:\S*\/debian)\b/m.exec(text)?.[1]
    if (found) return found
  }
  throw new Error(
    'No Debian mirror is known here: set DEBIAN_MIRROR, or RFC_DIR to a folder of RFC texts',
  )
}
