/** How what we issue begins, so that scanners, logs and people recognise it. */
export const ACCESS_TOKEN_PREFIX = 'pta_'
export const REFRESH_TOKEN_PREFIX = 'ptr_'
export const CODE_PREFIX = 'ptc_'
/** Of a session of the dashboard. */
export const SESSION_PREFIX = 'pts_'
