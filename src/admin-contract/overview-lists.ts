/** How far back sign-ins are shown, days. */
export const overviewDays = 30

/** A value of the audit trail's filter by reason: any other reason than `reported`, and none. */
export const notReported = 'not_reported'

/** The list behind each figure, as a query of its operation. Figures of one domain add `domain`. */
export const listsBehind = {
  enrolled: { list: 'people', query: { filter: 'enrolled' } },
  noFactor: { list: 'people', query: { filter: 'no_factor' } },
  onlyEmail: { list: 'people', query: { filter: 'only_email' } },
  locked: { list: 'people', query: { filter: 'locked' } },
  waiting: { list: 'audit', query: { event: 'session.created' } },
  reported: { list: 'audit', query: { event: 'session.denied', reason: 'reported' } },
  approved: { list: 'audit', query: { event: 'session.approved' } },
  // Reported requests are a figure of their own.
  denied: { list: 'audit', query: { event: 'session.denied', reason: notReported } },
  expired: { list: 'audit', query: { event: 'session.expired' } },
  cancelled: { list: 'audit', query: { event: 'session.cancelled' } },
} as const
