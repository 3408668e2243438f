import { identityFiles } from '../../../src/identity/identity-files.ts'
import { type PassPurpose, createLocalPasses } from '../../../src/identity/local-passes.ts'
import { secretOf } from '../../../src/identity/secret-file.ts'

/** A pass of the person whose data folder this is, for the gateway at an address. */
export function localPass(home: string, url: string, purpose: PassPurpose = 'command'): string {
  const passes = createLocalPasses(() => secretOf(identityFiles(home).localSecret))
  return passes.issue(purpose, Number(new URL(url).port))
}
