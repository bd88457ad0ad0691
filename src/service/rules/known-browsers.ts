/** How long a browser is known after the last pass in it, seconds. People come back after a long absence to most apps. */
export const knownFor = 180 * 24 * 60 * 60

/** How many users one browser is known for; those who passed longest ago make room. A family shares a computer. */
export const usersPerBrowser = 5

/** How many known browsers a user has, in all domains; those in which the user passed longest ago make room. */
export const browsersPerUser = 20

/**
 * Which budget of pushes and wrong codes a request takes from: that of all known browsers of the user together, or the
 * one for everywhere else. What is spent in one is never missing in the other.
 */
export type Budget = 'known' | 'other'
