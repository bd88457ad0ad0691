/**
 * The places of the console, below its address. All are one level deep, with ids in the query: the page is one file, and its own
 * relative addresses have to lead to the same scripts from each place.
 */

export const administratorPlace = (id: string): string => `administrator?${new URLSearchParams({ id }).toString()}`

export const inviteAdministrator = 'invite'
