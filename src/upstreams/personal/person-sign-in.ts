import type { Soon } from '../../base/flow/soon.ts'

/** The sign-in of one person to one server, as the server's connections need it. */
export interface PersonSignIn {
  /** Changes with every sign-in and every key; undefined while the person has neither. */
  generation(): Soon<string | undefined>
  /** Returns the URL where the person can sign in, if there is one. */
  address(): Promise<string | undefined>
  /** Waits for the person to sign in; resolves with whether that was in time. */
  completed(waitMs: number, stopped: () => boolean): Promise<boolean>
}
