import { execFile } from 'node:child_process'
import { mkdir, readFile, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'

const run = promisify(execFile)

export interface Manual {
  readonly name: string
  /** The Debian package that contains it. */
  readonly packageName: string
  /** Its files below `usr/share`, by format; a `.gz` is unpacked. */
  readonly files: Readonly<Record<'pdf' | 'epub' | 'txt', string>>
  /** Whether the PDF continues the chapter numbers where other formats begin appendices at 1. */
  readonly pdfCountsOn: boolean
  /** Headings below this depth have a number in the other formats and none in the PDF. */
  readonly pdfDepth: number
}

/** Manuals that Debian ships in three formats, made by Sphinx (two) and by DocBook with dblatex. */
export const MANUALS: readonly Manual[] = [
  {
    name: 'policy',
    packageName: 'debian-policy',
    files: {
      pdf: 'doc/debian-policy/policy.pdf.gz',
      epub: 'doc/debian-policy/policy.epub',
      txt: 'doc/debian-policy/policy.txt.gz',
    },
    pdfCountsOn: true,
    pdfDepth: 4,
  },
  {
    name: 'developers-reference',
    packageName: 'developers-reference',
    files: {
      pdf: 'developers-reference/developers-reference.pdf',
      epub: 'developers-reference/developers-reference.epub',
      txt: 'developers-reference/developers-reference.txt.gz',
    },
    pdfCountsOn: true,
    pdfDepth: 4,
  },
  {
    name: 'debmake-doc',
    packageName: 'debmake-doc',
    files: {
      pdf: 'doc/debmake-doc/debmake-doc.en.pdf',
      epub: 'doc/debmake-doc/debmake-doc.en.epub',
      txt: 'doc/debmake-doc/debmake-doc.en.txt.gz',
    },
    pdfCountsOn: false,
    pdfDepth: 4,
  },
]

/** The PDF of a manual, for questions about it. */
export interface ManualPdf {
  readonly name: string
  readonly packageName: string
  readonly pdf: string
}

/** Manuals whose questions choose the weights, so that the three manuals above can check them. */
export const FURTHER_MANUALS: readonly ManualPdf[] = [
  {
    name: 'installation-guide',
    packageName: 'installation-guide-amd64',
    pdf: 'doc/installation-guide-amd64/en/install.en.pdf.gz',
  },
  {
    name: 'debian-reference',
    packageName: 'debian-reference-en',
    pdf: 'debian-reference/debian-reference.en.pdf',
  },
]

/** Returns a file of a manual's package, from `MANUALS_DIR`, an earlier run, or apt. */
export async function packageFile(packageName: string, path: string): Promise<Uint8Array> {
  const bytes = await readFile(join(await unpacked(packageName), 'usr/share', path))
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes
}

async function unpacked(packageName: string): Promise<string> {
  const cache = process.env['BENCH_CACHE'] ?? join(tmpdir(), 'portolan-bench')
  const folder = join(process.env['MANUALS_DIR'] ?? join(cache, 'manuals'), packageName)
  if ((await readdir(folder).catch(() => [])).length > 0) return folder
  const work = `${folder}.${process.pid}`
  await mkdir(join(work, 'tree'), { recursive: true })
  await run('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=240', 'download', packageName], {
    cwd: work,
  })
  const file = (await readdir(work)).find((name) => name.endsWith('.deb'))
  if (!file) throw new Error(`apt-get downloaded no package ${packageName}`)
  await run('dpkg-deb', ['-x', join(work, file), join(work, 'tree')])
  await rename(join(work, 'tree'), folder)
  await rm(work, { recursive: true })
  return folder
}
