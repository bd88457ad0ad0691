/** How long a browser is known after its last pass, seconds. Users return to most apps after long absences. */
export const knownFor = 180 * 24 * 60 * 60

/** Users per known browser; those who passed longest ago are dropped. Families share computers. */
export const usersPerBrowser = 5

/** Known browsers per user, over all domains; those used longest ago are dropped. */
export const browsersPerUser = 20
