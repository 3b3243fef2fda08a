declare module '../storage/tables.ts' {
  interface Tables {
    datasets: DatasetsTable;
    dataset_members: DatasetMembersTable;
  }
}

export interface DatasetsTable {
  id: string;
  organization_id: string;
  name: string;
  /** 0 binary data, 1 sequences, as core.app.dataset.v1 has them. */
  type: number;
  created_at: number;
}

export interface DatasetMembersTable {
  dataset_id: string;
  /** Of `binary_data`. */
  binary_number: number;
}
