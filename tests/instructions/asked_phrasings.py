"""Phrasings of edits as people write them, with the requests; for `requests_of`."""

from __future__ import annotations

from vdebench.instructions.request import EditRequest as R

PHRASINGS = [
    ('Replace all "colour" with "color".', [R("replace", "colour", "color", everywhere=True)]),
    ('Replace every occurrence of "2023" with "2024".', [R("replace", "2023", "2024", everywhere=True)]),
    ('Change "Ltd." to "Inc." everywhere on the page.', [R("replace", "Ltd.", "Inc.", everywhere=True)]),
    ("Change all instances of ‘user’ to ‘customer’.", [R("replace", "user", "customer", everywhere=True)]),
    ('Replace "Monday" with "Tuesday" throughout the document.', [R("replace", "Monday", "Tuesday", everywhere=True)]),
    ('Delete "(draft)" wherever it appears.', [R("delete", "(draft)", everywhere=True)]),
    ("将所有“北京”替换为“上海”。", [R("replace", "北京", "上海", everywhere=True)]),
    ("把文中全部的“2023年”改成“2024年”", [R("replace", "2023年", "2024年", everywhere=True)]),
    ("将每处“公司”都改为“集团”。", [R("replace", "公司", "集团", everywhere=True)]),
    ("删除所有的“（暂定）”。", [R("delete", "（暂定）", everywhere=True)]),
    ('Change the second occurrence of "method" to "approach".', [R("replace", "method", "approach", occurrence=2)]),
    ('Replace the second "and" with "or".', [R("replace", "and", "or", occurrence=2)]),
    ('Delete the last occurrence of "very".', [R("delete", "very", occurrence=-1)]),
    ("Replace the first instance of “cat” with “dog”.", [R("replace", "cat", "dog", occurrence=1)]),
    ("将第二个“的”改为“之”。", [R("replace", "的", "之", occurrence=2)]),
    ("把第二处“时间”替换为“日期”。", [R("replace", "时间", "日期", occurrence=2)]),
    ('In the first line, change "Summer" to "Winter".', [R("replace", "Summer", "Winter", line=1)]),
    ('Replace "10:00" in the last line with "11:30".', [R("replace", "10:00", "11:30", line=-1)]),
    ("将第一行的“春季”改为“秋季”。", [R("replace", "春季", "秋季", line=1)]),
    ("将标题“年度报告”修改为“季度报告”。", [R("replace", "年度报告", "季度报告", place="标题")]),
    (
        'In the heading, replace "Annual Report" with "Interim Report".',
        [R("replace", "Annual Report", "Interim Report", place="heading")],
    ),
    (
        'Change the title from "Grand Opening" to "Closing Sale".',
        [R("replace", "Grand Opening", "Closing Sale", place="title")],
    ),
    ("Change the price from $12.99 to $15.99.", [R("replace", "$12.99", "$15.99")]),
    ("Change 5 km to 8 km.", [R("replace", "5 km", "8 km")]),
    ("Replace 12 March 2024 with 14 April 2025.", [R("replace", "12 March 2024", "14 April 2025")]),
    ("Update the date from 2023-05-01 to 2024-06-02.", [R("replace", "2023-05-01", "2024-06-02")]),
    ("change EASTON to ADIDAS", [R("replace", "EASTON", "ADIDAS")]),
    ("Delete Event Location", [R("delete", "Event Location")]),
    ("delete 'fairview'", [R("delete", "fairview")]),
    (
        'Please remove the word "free" from the sentence "Get a free gift today".',
        [R("delete", "free", within="Get a free gift today")],
    ),
    ("Insert the text of 'NOW!' after the text of 'CHAINS' in the picture", [R("insert_after", "CHAINS", "NOW!")]),
    ('Add "Ph.D." after the name "Jane Smith".', [R("insert_after", "Jane Smith", "Ph.D.")]),
    (
        'Add the word "not" before "allowed" in the second sentence.',
        [R("insert_before", "allowed", "not", place="second sentence")],
    ),
    ('Write "approx." in front of "300 kg".', [R("insert_before", "300 kg", "approx.")]),
    ("在“联系电话”后面加上“（仅限工作日）”。", [R("insert_after", "联系电话", "（仅限工作日）")]),
    ("在“张三”前插入“教授”", [R("insert_before", "张三", "教授")]),
    ("把“下午3点”改成“下午5点”", [R("replace", "下午3点", "下午5点")]),
    ("将“价格：￥99”替换为“价格：￥129”，其他内容保持不变。", [R("replace", "价格：￥99", "价格：￥129")]),
    ("把价格从99元改成129元", [R("replace", "99元", "129元")]),
    ("将日期由5月1日改为6月1日。", [R("replace", "5月1日", "6月1日")]),
    ("删除“限时优惠”四个字", [R("delete", "限时优惠")]),
    ("请删掉图片中的“样品”字样。", [R("delete", "样品")]),
    (
        'In the table, change the value in row "Revenue", column "2023" to "418.7".',
        [R("replace", new="418.7", row="Revenue", column="2023")],
    ),
    ("In the table, replace 412.7 with 418.7.", [R("replace", "412.7", "418.7", place="table")]),
    ("将表格中“收入”一行“2023”列的数值改为“418.7”。", [R("replace", new="418.7", row="收入", column="2023")]),
    ("把表格中的“3.2%”改为“4.1%”。", [R("replace", "3.2%", "4.1%", place="表格")]),
    (
        "Replace the word ‘ALTO’ on the stop sign with ‘STOP’, keeping the same font and color.",
        [R("replace", "ALTO", "STOP", place="stop sign")],
    ),
    ('Change the text on the shirt from "EASTON" to "ADIDAS".', [R("replace", "EASTON", "ADIDAS", place="shirt")]),
    ('The word "recieve" should be spelled "receive".', [R("replace", "recieve", "receive")]),
    ("Change «Bonjour» to «Bonsoir».", [R("replace", "Bonjour", "Bonsoir")]),
    ("将「新年快乐」改为「春节快乐」", [R("replace", "新年快乐", "春节快乐")]),
    ('Replace "a" with "b", then delete "c".', [R("replace", "a", "b"), R("delete", "c")]),
    ("将“甲方”改为“乙方”，并删除“草稿”。", [R("replace", "甲方", "乙方"), R("delete", "草稿")]),
    ('Change "12%" to "15%" in the second occurrence only.', [R("replace", "12%", "15%", occurrence=2)]),
    ('Replace the phrase "in order to" with "to".', [R("replace", "in order to", "to")]),
]

UNKNOWN_PHRASINGS = [
    'Substitute "Berlin" for "Paris".',
    'Replace "Total" and "Sum" with "Amount".',
]
