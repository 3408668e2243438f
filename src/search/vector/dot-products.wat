;; Dot products of one query with many rows of 8-bit numbers.
;; The query is widened to 16 bits once, by the caller; rows are widened as they are loaded.
;; The dimension is a multiple of 16: rows are padded with zeros.
(module
  (import "host" "memory" (memory 1))
  (func (export "dots")
    (param $query i32) (param $rows i32) (param $count i32) (param $dimension i32) (param $out i32)
    (local $sum v128) (local $other v128) (local $q i32) (local $end i32)
    (block $done
      (loop $row
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $other (v128.const i32x4 0 0 0 0))
        (local.set $q (local.get $query))
        (local.set $end (i32.add (local.get $rows) (local.get $dimension)))
        (loop $sixteen
          (local.set $sum (i32x4.add (local.get $sum)
            (i32x4.dot_i16x8_s (v128.load (local.get $q)) (v128.load8x8_s (local.get $rows)))))
          (local.set $other (i32x4.add (local.get $other)
            (i32x4.dot_i16x8_s (v128.load offset=16 (local.get $q)) (v128.load8x8_s offset=8 (local.get $rows)))))
          (local.set $q (i32.add (local.get $q) (i32.const 32)))
          (local.set $rows (i32.add (local.get $rows) (i32.const 16)))
          (br_if $sixteen (i32.lt_u (local.get $rows) (local.get $end))))
        (local.set $sum (i32x4.add (local.get $sum) (local.get $other)))
        (i32.store (local.get $out)
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
            (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $row)))))
