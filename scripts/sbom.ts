/**
 * `npm run sbom` prints the software bill of materials of the package, as CycloneDX.
 * `npm sbom --omit dev` leaves out packages that development tools need as well; therefore the
 * development dependencies are first removed from a copy, whose lockfile keeps the versions, except those that the bundle contains.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CONTAINED } from './contained.ts'

const root = join(import.meta.dirname, '..')
const place = mkdtempSync(join(tmpdir(), 'portolan-sbom-'))
// npm uses the name of the folder.
const folder = join(place, 'portolan')
try {
  mkdirSync(folder)
  const { devDependencies, ...manifest } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  for (const [name, version] of Object.entries(devDependencies))
    if (CONTAINED.has(name)) manifest.dependencies[name] = version
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  cpSync(join(root, 'package-lock.json'), join(folder, 'package-lock.json'))
  const npm = (...args: string[]) =>
    execFileSync('npm', [...args, '--package-lock-only', '--loglevel=error'], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 1 << 26,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  npm('install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline')
  process.stdout.write(npm('sbom', '--sbom-format', 'cyclonedx'))
} finally {
  rmSync(place, { recursive: true, force: true })
}
