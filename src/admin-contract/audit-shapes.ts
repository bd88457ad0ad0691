/** The shapes of what queries of the audit trail contain, as `queryShapes`. Apart, for a screen that few open. */
export const auditShapes = {
  /** A time, or a place in the audit trail. */
  digits: /^\d{1,15}$/,
  /** An event such as `session.denied`; several are separated by commas. */
  events: /^[a-z_]{1,40}\.[a-z_]{1,40}(,[a-z_]{1,40}\.[a-z_]{1,40}){0,149}$/,
  /** An id, or a name at the command line. */
  actor: /^\P{Cc}{1,128}$/u,
  reason: /^[a-z_]{1,40}$/,
  factor: /^[a-z]{1,20}$/,
} as const
