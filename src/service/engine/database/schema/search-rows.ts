/*
 * The rows by which people are found, as both databases select them: kind and id of what the row is about, position of the person,
 * domain, and text. SQLite calls the function for a line break `char`, PostgreSQL `chr`.
 */

/** A person: names and address, in a line each. */
export const rowsOfUser = (where: string, lineBreak = 'char(10)'): string =>
  `'user', u.id, u.sequence, null, u.username || ${lineBreak} || u.name || ${lineBreak} || u.email from "user" u ${where}`

/** A device in use, with the domain that it is for. */
export const rowsOfDevice = (where: string): string =>
  `'device', d.id, u.sequence, d.domain_id, d.name
    from device d join "user" u on u.id = d.user_id where d.revoked_at is null ${where}`

/** A hardware token that a person has. It signs in to every domain, so it has none. */
export const rowsOfHardware = (where: string): string =>
  `'hardware', h.id, u.sequence, null, h.serial_number
    from hardware_token h join "user" u on u.id = h.user_id where true ${where}`
