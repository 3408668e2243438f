export interface SignInTables {
  /** Clients, grants, sessions, codes and tokens of the authorization server. */
  oauth_records: {
    kind: string
    /** A hash if the id is a credential. */
    id: string
    payload_json: string
    grant_id: string | null
    uid: string | null
    consumed_at: number | null
    expires_at: number | null
  }
  /** Users who sign in with a Portolan password. */
  users: {
    name: string
    /** Null for a person whom an earlier version made. */
    id: string | null
    /** Another one after each new password; null until an earlier version's person gets one. */
    account_id: string | null
    password_hash: string
    groups_json: string
    role: string | null
    created_at: number
  }
}
