import type { Soon } from '../../base/flow/soon.ts'

/** The sign-in of one person to one server, as the server's connections need it. */
export interface PersonSignIn {
  /** Changes with every sign-in and every key; undefined while there is nothing of the person's own. */
  generation(): Soon<string | undefined>
  /** Where the person can sign in, if there is a page for it. */
  address(): Promise<string | undefined>
  /** Resolves when the person has signed in, with whether that was in time. */
  completed(waitMs: number, stopped: () => boolean): Promise<boolean>
}
