import type { Migration } from '../migrate.ts'
import { accounts } from './0001-accounts.ts'
import { traces } from './0002-traces.ts'
import { traceSignals } from './0003-trace-signals.ts'
import { traceVectors } from './0004-trace-vectors.ts'
import { traceBands } from './0005-trace-bands.ts'
import { knowledge } from './0010-knowledge.ts'
import { passedOver } from './0011-passed-over.ts'
import { emailVerification } from './0012-email-verification.ts'
import { shared } from './0020-shared.ts'
import { audit } from './0021-audit.ts'
import { shownResults } from './0022-shown-results.ts'
import { suspendedScripts } from './0023-suspended-scripts.ts'
import { keptSources } from './0024-kept-sources.ts'
import { signIn } from './0030-sign-in.ts'
import { savedScripts } from './0040-saved-scripts.ts'
import { givenNames } from './0041-given-names.ts'
import { userIds } from './0042-user-ids.ts'

/** In the order of application. Never change a released migration; add a new one. */
export const MIGRATIONS: readonly Migration[] = [
  accounts,
  traces,
  traceSignals,
  traceVectors,
  traceBands,
  knowledge,
  passedOver,
  emailVerification,
  shared,
  audit,
  shownResults,
  suspendedScripts,
  keptSources,
  signIn,
  savedScripts,
  givenNames,
  userIds,
]
