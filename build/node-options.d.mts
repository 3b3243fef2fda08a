/** Options of Node for `armature`. */
export declare const nodeOptions: readonly string[];
