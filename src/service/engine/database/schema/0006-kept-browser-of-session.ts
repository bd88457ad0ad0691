/** Which kept browser a session came from, so that a report ends that browser, and no other one. */
export const keptBrowserOfSession: readonly string[] = ['alter table session add column kept_browser text']
