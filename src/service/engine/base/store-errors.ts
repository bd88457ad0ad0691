/** A database file cannot be used for this. The message says why, and what to do. */
export class DatabaseFileError extends Error {
  override readonly name = 'DatabaseFileError'
}

/** The database was brought to a schema that this version does not know. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError'
}

/** The migrations of the database are not those of this build, although their names may be. */
export class OtherBuildError extends Error {
  override readonly name = 'OtherBuildError'
}

/** The database has tables of another app where those of this package would be. */
export class ForeignDatabaseError extends Error {
  override readonly name = 'ForeignDatabaseError'
}

/** The database cannot hold what is stored here. The message says why, and what to do. */
export class UnfitDatabaseError extends Error {
  override readonly name = 'UnfitDatabaseError'
}

/** The database was moved to another place. Serving it as well would accept a code at both. */
export class MovedDatabaseError extends Error {
  override readonly name = 'MovedDatabaseError'
}

/** There is no database, or an empty one, and it may not be created. */
export class NoDatabaseError extends Error {
  override readonly name = 'NoDatabaseError'
}

/** The database did not answer in time; trying again later may work. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}

/**
 * The change may be stored or not: the database was told to commit it, and has not answered. Whoever made it reads before repeating it, or
 * repeats it in a way that cannot count twice.
 */
export class OutcomeUnknownError extends StoreUnavailableError {}

/** The caller hung up while the change waited, so it is not made. Nothing is wrong with the database. */
export class CallerGoneError extends StoreUnavailableError {}
