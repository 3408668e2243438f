export interface SignInTables {
  /** Clients, grants, sessions, codes and tokens of the authorization server. */
  oauth_records: {
    kind: string
    /** Of whatever is a credential only its hash. */
    id: string
    payload_json: string
    grant_id: string | null
    uid: string | null
    consumed_at: number | null
    expires_at: number | null
  }
  /** People who sign in with a password of ours. */
  users: {
    name: string
    password_hash: string
    groups_json: string
    role: string | null
    created_at: number
  }
}
