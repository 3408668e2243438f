/** Prefixes of what we issue, so that scanners, logs and people recognise it. */
export const ACCESS_TOKEN_PREFIX = 'pta_'
export const REFRESH_TOKEN_PREFIX = 'ptr_'
export const CODE_PREFIX = 'ptc_'
/** The prefix of a dashboard session. */
export const SESSION_PREFIX = 'pts_'
