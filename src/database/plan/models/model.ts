/** A field of the rows or documents of a model, under one name with the object it stands in: `address_street`. */
export interface ModelField {
  readonly name: string
  /** PostgreSQL's type that comes nearest. */
  readonly type: string
  readonly required: boolean
  /** No two rows have the same. */
  readonly unique?: true
  /** The model that an id points at. */
  readonly ref?: string
  readonly line: number
}

/** A model of Mongoose, Sequelize or TypeORM, as its file declares it: what says whose its rows are. */
export interface DeclaredModel {
  readonly path: string
  /** As the code calls it in its queries. */
  readonly name: string
  /** The column that tells a row. */
  readonly key: '_id' | 'id'
  readonly fields: readonly ModelField[]
  /** Fields of which no two rows have the same together. */
  readonly uniques?: readonly (readonly string[])[]
  readonly line: number
}
