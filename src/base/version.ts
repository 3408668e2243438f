import { readFileSync } from 'node:fs'
import { packageFile } from './files/package-files.ts'

const manifest: { version: string } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'))

export const VERSION = manifest.version
